! firstprivate of an allocatable on a target region: a copy of its own, also where the region is deferred.
! compilers: gcc>=14
program directive_target_private
  implicit none
  integer, allocatable :: a(:)
  integer :: seen, later
  seen = 0
  later = 0
  a = [1, 2, 3, 4, 5]
  !$omp target firstprivate(a) map(tofrom: seen)
    seen = sum(a)
    a(:) = 0
  !$omp end target
  if (seen /= 15 .or. any(a /= [1, 2, 3, 4, 5])) stop 1
  !$omp parallel
  !$omp single
  !$omp target firstprivate(a) map(tofrom: later) nowait
    later = sum(a)
    a(:) = 0
  !$omp end target
  !$omp taskwait
  !$omp end single
  !$omp end parallel
  if (later /= 15 .or. any(a /= [1, 2, 3, 4, 5])) stop 2
end program

! The allocators directive: scalars, whose memory the runtime has to remember, and arrays, which are made longer.
! compilers: gcc>=14
! flags gcc: -fopenmp-allocators
program directive_allocators
  use omp_lib
  implicit none
  integer, allocatable :: s, t
  integer, allocatable :: a(:)
  integer :: i, round
  !$omp parallel do private(s, t, a, i)
  do round = 1, 100
    !$omp allocators allocate(allocator(omp_default_mem_alloc): s, a)
    allocate(s, a(100))
    allocate(t)
    s = round
    t = round
    a = [(i, i = 1, 100)]
    a = [a, 5]
    if (sum(a) /= 5055 .or. s /= round .or. t /= round) stop 1
    deallocate(s, a, t)
  end do
end program

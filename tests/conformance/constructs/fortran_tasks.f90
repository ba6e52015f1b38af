! Fortran: recursive tasks, taskgroup, taskloop, allocatable firstprivate arrays (copy functions), taskwait.
program tasks
  use omp_lib
  implicit none
  integer :: answer, i, total
  integer, allocatable :: values(:)
  logical :: right

  right = .true.
  answer = 0
  !$omp parallel
  !$omp single
  answer = fib(15)
  !$omp end single
  !$omp end parallel
  if (answer /= 610) right = .false.

  total = 0
  allocate (values(100))
  !$omp parallel
  !$omp single
  do i = 1, 50
    values = i
    !$omp task firstprivate(values, i) shared(total, right)
    if (any(values /= i) .or. size(values) /= 100) right = .false.
    !$omp atomic
    total = total + values(100)
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  if (total /= 1275) right = .false.

  total = 0
  !$omp parallel
  !$omp single
  !$omp taskgroup
  !$omp task
  !$omp task
  !$omp atomic
  total = total + 1
  !$omp end task
  !$omp end task
  !$omp end taskgroup
  if (total /= 1) right = .false.
  !$omp taskloop grainsize(7) shared(total)
  do i = 100, 1, -1
    !$omp atomic
    total = total + i
  end do
  !$omp end taskloop
  if (total /= 5051) right = .false.
  !$omp task final(.true.) shared(right)
  if (.not. omp_in_final()) right = .false.
  !$omp end task
  !$omp end single
  !$omp end parallel
  if (.not. right) then
    print *, 'failed: ', answer, total
    stop 1
  end if

contains

  recursive integer function fib(n) result(value)
    integer, intent(in) :: n
    integer :: a, b
    if (n < 2) then
      value = n
      return
    end if
    !$omp task shared(a) firstprivate(n)
    a = fib(n - 1)
    !$omp end task
    !$omp task shared(b) firstprivate(n)
    b = fib(n - 2)
    !$omp end task
    !$omp taskwait
    value = a + b
  end function fib
end program tasks

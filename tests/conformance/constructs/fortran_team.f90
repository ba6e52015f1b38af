! Fortran, with omp_lib: regions, worksharing, reductions, threadprivate, copyprivate, the queries and locks, in the integer
! kinds of the interfaces.
program team
  use omp_lib
  implicit none
  integer :: n, i, failures, members, total, seen, last, kept, chunk
  integer(8) :: wide, j
  integer(omp_sched_kind) :: kind
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  real(8) :: time, product
  logical :: every
  common /mine/ kept
  !$omp threadprivate(/mine/)

  failures = 0
  n = omp_get_max_threads()
  call check(.not. omp_in_parallel(), 'in_parallel outside')
  call check(omp_get_num_procs() >= 1, 'num_procs')
  time = omp_get_wtime()
  call check(omp_get_wtick() > 0, 'wtick')

  members = 0
  !$omp parallel private(i)
  !$omp atomic
  members = members + 1
  kept = omp_get_thread_num()
  call check(omp_get_num_threads() == n, 'num_threads')
  call check(omp_get_level() == 1, 'level')
  !$omp end parallel
  call check(members == n, 'members')
  !$omp parallel
  call check(kept == omp_get_thread_num(), 'threadprivate')
  !$omp end parallel

  total = 0
  product = 1
  every = .true.
  !$omp parallel do schedule(dynamic, 3) reduction(+:total) reduction(*:product) reduction(.and.:every) lastprivate(last)
  do i = 1, 100
    total = total + i
    if (mod(i, 50) == 0) product = product * 2
    every = every .and. i > 0
    last = i
  end do
  !$omp end parallel do
  call check(total == 5050, 'sum')
  call check(product == 4, 'product')
  call check(every, 'and')
  call check(last == 100, 'lastprivate')

  wide = 0
  !$omp parallel do schedule(guided) reduction(+:wide)
  do j = 5000000000_8, 5000000100_8
    wide = wide + (j - 5000000000_8)
  end do
  call check(wide == 5050, 'integer(8) loop')

  seen = 0
  !$omp parallel do ordered schedule(static, 2)
  do i = 10, 1, -1
    !$omp ordered
    call check(seen == 10 - i, 'ordered')
    seen = seen + 1
    !$omp end ordered
  end do

  total = 0
  !$omp parallel private(i)
  i = -1
  !$omp single
  i = 77
  !$omp end single copyprivate(i)
  call check(i == 77, 'copyprivate')
  !$omp sections
  !$omp section
  !$omp atomic
  total = total + 1
  !$omp section
  !$omp atomic
  total = total + 10
  !$omp end sections
  !$omp workshare
  seen = 5
  !$omp end workshare
  !$omp end parallel
  call check(total == 11, 'sections')
  call check(seen == 5, 'workshare')

  call omp_set_schedule(omp_sched_guided, 7)
  call omp_get_schedule(kind, chunk)
  call check(iand(kind, huge(kind)) == omp_sched_guided .and. chunk == 7, 'schedule')
  call omp_set_num_threads(3)
  call check(omp_get_max_threads() == 3, 'set_num_threads')
  call omp_set_dynamic(.false.)
  call check(.not. omp_get_dynamic(), 'dynamic')

  call omp_init_lock(lock)
  call omp_init_nest_lock(nest)
  total = 0
  !$omp parallel private(i)
  do i = 1, 200
    call omp_set_lock(lock)
    total = total + 1
    call omp_unset_lock(lock)
    call omp_set_nest_lock(nest)
    call check(omp_test_nest_lock(nest) == 2, 'nest lock')
    call omp_unset_nest_lock(nest)
    call omp_unset_nest_lock(nest)
  end do
  !$omp end parallel
  call check(total == 600, 'locks')
  call omp_destroy_lock(lock)
  call omp_destroy_nest_lock(nest)
  call check(omp_get_wtime() >= time, 'wtime')
  if (failures > 0) stop 1

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    !$omp critical (printing)
    failures = failures + 1
    print *, 'failed: ', what
    !$omp end critical (printing)
  end subroutine check
end program team

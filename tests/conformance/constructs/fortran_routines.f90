! Routines of OpenMP 5.1 from Fortran: what they take by reference, as characters, and in 8-byte integers.
program fortran_routines
  use omp_lib
  implicit none
  integer :: failures = 0
  integer(8) :: eight
  character(len=40) :: text, format
  integer(omp_allocator_handle_kind) :: allocator
  type(omp_alloctrait) :: traits(2)
  integer(omp_nest_lock_kind) :: nest
  integer(omp_lock_kind) :: lock
  integer :: n, ids(4096)

  call omp_set_num_teams(7)
  call expect(omp_get_max_teams() == 7, 'num_teams')
  call omp_set_teams_thread_limit(3)
  call expect(omp_get_teams_thread_limit() == 3, 'teams_thread_limit')
  call omp_set_num_teams(0)
  call expect(omp_get_num_devices() == 0, 'num_devices')
  call expect(omp_is_initial_device(), 'initial device')
  call expect(omp_get_device_num() == omp_get_initial_device(), 'device_num')
  call omp_set_default_device(2)
  call expect(omp_get_default_device() == 2, 'default_device')
  call expect(omp_get_supported_active_levels() > 10, 'supported_active_levels')
  call expect(omp_get_max_task_priority() == 0, 'max_task_priority')
  eight = 5000000000_8
  call expect(omp_get_ancestor_thread_num(int(eight / 5000000000_8) - 1) == 0, 'ancestor')

  call omp_set_affinity_format('n %n of %N')
  n = omp_get_affinity_format(text)
  call expect(n == 10 .and. text == 'n %n of %N', 'affinity_format')
  format = 'thread %0.3n'
  n = omp_capture_affinity(text, trim(format))
  call expect(n == 10 .and. text == 'thread 000', 'capture_affinity')
  n = omp_capture_affinity(text, '')
  call expect(text == 'n 0 of 1', 'capture with the format that was set')

  traits(1) = omp_alloctrait(omp_atk_alignment, 64)
  traits(2) = omp_alloctrait(omp_atk_pool_size, 8192)
  allocator = omp_init_allocator(omp_default_mem_space, 2, traits)
  call expect(allocator /= omp_null_allocator, 'init_allocator')
  call omp_set_default_allocator(allocator)
  call expect(omp_get_default_allocator() == allocator, 'default_allocator')
  call omp_set_default_allocator(omp_default_mem_alloc)
  call omp_destroy_allocator(allocator)

  call omp_init_lock(lock)
  call expect(omp_test_lock(lock), 'test_lock')
  call omp_unset_lock(lock)
  call omp_destroy_lock(lock)
  call omp_init_nest_lock(nest)
  call omp_set_nest_lock(nest)
  call expect(omp_test_nest_lock(nest) == 2, 'test_nest_lock')
  call omp_unset_nest_lock(nest)
  call omp_unset_nest_lock(nest)
  call omp_destroy_nest_lock(nest)

  if (omp_get_num_places() > 0) then
    n = omp_get_place_num_procs(0)
    call omp_get_place_proc_ids(0, ids)
    call expect(n >= 1 .and. ids(1) >= 0, 'places')
  else
    call expect(omp_get_place_num() == -1, 'place_num')
  end if
  call expect(omp_pause_resource_all(omp_pause_soft) == 0, 'pause')
  if (failures /= 0) stop 1
  print '(a)', 'ok'

contains
  subroutine expect(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (.not. good) then
      print '(2a)', 'wrong: ', what
      failures = failures + 1
    end if
  end subroutine
end program

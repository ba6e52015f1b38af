! The same from Fortran, with the one file in C that ompx_locality.h asks for.
program uses
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function ompx_get_num_domains()
      import
    end function
    type(c_ptr) function ompx_malloc_policy(bytes, policy)
      import
      integer(c_size_t) :: bytes
      integer(c_int) :: policy
    end function
    subroutine ompx_fetch(p, bytes, error)
      import
      real(c_double) :: p(*)
      integer(c_size_t) :: bytes
      integer(c_int) :: error
    end subroutine
    subroutine ompx_free(p)
      import
      type(c_ptr) :: p
    end subroutine
  end interface
  type(c_ptr) :: p
  real(c_double), pointer :: a(:)
  integer(c_int) :: error
  if (ompx_get_num_domains() < 1) stop 1
  p = ompx_malloc_policy(8000_c_size_t, 2_c_int)
  call c_f_pointer(p, a, [1000])
  a = 3
  call ompx_fetch(a, c_sizeof(a(1)) * size(a), error)
  if (error /= 0 .and. error /= 38) stop 2
  if (sum(a) /= 3000) stop 3
  call ompx_free(p)
end program

// A file as bytes, for reading ELF.
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace einkorn::cli {

// A file mapped for reading; every access is checked against its size.
class Mapping {
 public:
  explicit Mapping(const std::string& path) {
    int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
      void* p = mmap(nullptr, size_t(st.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
      if (p != MAP_FAILED) data_ = static_cast<const char*>(p), size_ = size_t(st.st_size);
    }
    if (fd >= 0) close(fd);
  }
  ~Mapping() {
    if (data_) munmap(const_cast<char*>(data_), size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  size_t size() const { return size_; }
  const char* bytes(uint64_t at, uint64_t count) const {
    return data_ && at <= size_ && count <= size_ - at ? data_ + at : nullptr;
  }
  template <class T>
  const T* as(uint64_t at) const {
    return at % alignof(T) == 0 ? reinterpret_cast<const T*>(bytes(at, sizeof(T))) : nullptr;
  }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace einkorn::cli

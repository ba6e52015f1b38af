// A folder that is there whole or not at all: made under another name beside it, and renamed when all is well.
//
// What stood there before is replaced where all that is in it was made by the same export, and by us. Nothing else is
// ever deleted: a folder that holds one file more is left as it is, with an error.
#pragma once
#include <filesystem>
#include <string>

namespace einkorn::report {

class OutputFolder {
 public:
  // What an export makes, so that it is known again.
  struct Kind {
    bool (*part)(const std::filesystem::path& relative,
                 bool folder);                          // is it one of its files or folders, by its name?
    bool (*ours)(const std::filesystem::path& folder);  // was that folder, of such parts alone, made by us?
  };

  OutputFolder() = default;
  ~OutputFolder();  // what has not been committed is removed
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // False: error() says why. Else path() is there, empty.
  bool open(const std::string& name, const Kind& kind);
  const std::string& path() const { return temporary_; }
  bool commit();
  const std::string& error() const { return error_; }

 private:
  bool replaceable() const;
  bool fail(std::string why);

  Kind kind_{};
  std::string name_, temporary_, error_;
};

}  // namespace einkorn::report

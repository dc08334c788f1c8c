#include "base/text_proto.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include "base/errors.hpp"
#include "base/input_file.hpp"

namespace gradwire {
namespace {

/// Keeps the first error; protobuf counts lines and columns from 0.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text_.empty()) text_ = fmt::format("{}:{}: {}", line + 1, column + 1, message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

void parse_text_proto(const std::string& text, const std::string& name,
                      google::protobuf::Message& message) {
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(text, &message)) {
    throw InputError(fmt::format("{}:{}", name, error.text()));
  }
}

void read_text_proto(const std::filesystem::path& path, google::protobuf::Message& message) {
  parse_text_proto(read_whole_file(path), path.string(), message);
}

}  // namespace gradwire

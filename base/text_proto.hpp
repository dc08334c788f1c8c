#pragma once

#include <filesystem>
#include <string>

namespace google::protobuf {
class Message;
}

namespace gradwire {

/// Reads a protobuf text file (.txtpb) into `message`. Throws InputError naming file, line and
/// column for a syntax error or an unknown field, and naming the file when it is missing, a
/// directory or unreadable.
void read_text_proto(const std::filesystem::path& path, google::protobuf::Message& message);

/// The same for text in memory; `name` stands where the file name would.
void parse_text_proto(const std::string& text, const std::string& name,
                      google::protobuf::Message& message);

}  // namespace gradwire

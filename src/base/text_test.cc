#include "base/text.h"

#include <gtest/gtest.h>

namespace norn::base {
namespace {

TEST(Text, EscapesWhatATerminalObeys) {
  EXPECT_EQ(quoted("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(quoted("\x1b[2J\n\x7f"), "\"\\x1b[2J\\x0a\\x7f\"");
  EXPECT_EQ(base::quoted(std::string_view("\0", 1)), "\"\\x00\"");
  // U+0080, U+009B and U+009F; U+00A0 is a space.
  EXPECT_EQ(quoted("\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0"), "\"\\xc2\\x80\\xc2\\x9b\\xc2\\x9f\xc2\xa0\"");
}

TEST(Text, TellsControlBytesFromPartsOfLetters) {
  // U+00DB, U+2019 and U+1F41B hold the bytes 9B, 80, 99, 9F and 90.
  for (const std::string letter : {"\xc3\x9b", "\xe2\x80\x99", "\xf0\x9f\x90\x9b"}) {
    EXPECT_EQ(base::quoted(letter), '"' + letter + '"');
    EXPECT_EQ(base::quoted(letter + "\x9b"), '"' + letter + "\\x9b\"");
  }
  EXPECT_EQ(quoted("\x9b"), "\"\\x9b\"");
  EXPECT_EQ(quoted("a\x9b"), "\"a\\x9b\"");
  EXPECT_EQ(quoted("\xe2\x80"), "\"\xe2\x80\"");  // cut
  EXPECT_EQ(quoted("\xe2"
                   "a\x9b"),
            "\"\xe2"
            "a\\x9b\"");  // broken off
  EXPECT_EQ(quoted("\xc3\xc2\x9b"), "\"\xc3\\xc2\\x9b\"");
  EXPECT_EQ(quoted("\xc2"), "\"\xc2\"");
  EXPECT_EQ(quoted("\xa0\xff\x9b\xc1\x9b\xf5\x9b"), "\"\xa0\xff\\x9b\xc1\\x9b\xf5\\x9b\"");
}

}  // namespace
}  // namespace norn::base

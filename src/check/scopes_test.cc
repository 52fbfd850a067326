#include "check/scopes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/context.h"

namespace norn::checks {
namespace {

TEST(Scopes, InnerDefinitionsAreUndone) {
  Scopes scopes;
  scopes.enter(false);
  scopes.define(scopes.intern("a"), {.as = Defined::Input});
  scopes.enter(false);
  EXPECT_EQ(scopes.find("a").as, Defined::Input);
  EXPECT_FALSE(scopes.defined_here("a"));
  scopes.define(scopes.intern("a"), {.as = Defined::NodeOutput});
  EXPECT_TRUE(scopes.defined_here("a"));
  scopes.enter(true);
  EXPECT_FALSE(scopes.visible("a"));
  scopes.leave();
  scopes.leave();
  EXPECT_EQ(scopes.find("a").as, Defined::Input);
  for (int i = 0; i < 5000; ++i) scopes.intern(std::string_view("0123456789" + i % 10));
  EXPECT_EQ(scopes.text(scopes.intern("a")), "a");
}

TEST(Scopes, NameSetForgets) {
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back("n" + std::to_string(i));
  NameSet set;
  for (int round = 0; round < 3; ++round) {
    for (const auto& name : names) EXPECT_TRUE(set.insert(name));
    for (const auto& name : names) EXPECT_FALSE(set.insert(name));
    set.clear();
  }
}

TEST(Text, Utf8AndNames) {
  EXPECT_TRUE(is_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
  for (const char* bad : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3", "\xe2\x82", "\x80"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
  EXPECT_TRUE(is_reverse_dns("com.example"));
  EXPECT_FALSE(is_reverse_dns("com..example"));
  EXPECT_FALSE(is_reverse_dns("example"));
  EXPECT_TRUE(is_c_identifier("_a1"));
  EXPECT_FALSE(is_c_identifier("1a"));
}

}  // namespace
}  // namespace norn::checks

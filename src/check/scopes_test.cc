#include "check/scopes.h"

#include <gtest/gtest.h>

#include <clocale>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check/context.h"
#include "format/notation.h"
#include "norn/error.h"

namespace norn::checks {
namespace {

TEST(Scopes, InnerDefinitionsAreUndone) {
  Scopes scopes;
  scopes.enter(false);
  const Scopes::Name a = scopes.intern("a");
  scopes.define(a, {.as = Defined::Input});
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
  EXPECT_EQ(scopes.intern("a"), a);
}

// Lengths around the sizes of a word and of a key, equal ends, embedded zeros: each text has a number of its own.
TEST(Scopes, ANameIsNothingButItself) {
  std::vector<std::string> names;
  for (std::size_t length = 0; length <= 40; ++length) {
    names.push_back(std::string(length, 'a'));
    names.push_back(std::string(length, '\0') + "b");
    for (std::size_t at = 0; at < length; ++at) {
      names.push_back(std::string(length, 'a'));
      names.back()[at] = 'c';
    }
  }
  Scopes scopes;
  std::vector<Scopes::Name> alone, together(names.size());
  for (const std::string& name : names) alone.push_back(scopes.intern(name));
  EXPECT_EQ(std::set(alone.begin(), alone.end()).size(), names.size());
  const std::vector<std::string> copies = names;  // other storage
  std::vector<std::string_view> views(copies.begin(), copies.end());
  std::vector<base::TextKey> keys(views.size());
  scopes.prepare(views, keys);
  std::vector<std::string> more;
  for (int i = 0; i < 5000; ++i) more.push_back("grows" + std::to_string(i));
  for (const std::string& name : more) scopes.intern(name);
  scopes.intern(views, keys, together);
  EXPECT_EQ(alone, together);
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

// Graphs beside each other and below each other: what one defined is not visible in the next.
TEST(Scopes, VisitsDoNotSeeEarlierOnes) {
  Scopes scopes;
  scopes.enter(true);
  const Scopes::Name a = scopes.intern("a");
  scopes.define(a, {.as = Defined::Input});
  scopes.leave();
  EXPECT_FALSE(scopes.visible("a"));
  scopes.enter(false);
  EXPECT_FALSE(scopes.visible("a"));
  scopes.define(a, {.as = Defined::Initializer});
  scopes.enter(true);
  EXPECT_FALSE(scopes.visible("a"));
  scopes.define(a, {.as = Defined::NodeOutput});
  scopes.leave();
  scopes.enter(false);
  EXPECT_EQ(scopes.find("a").as, Defined::Initializer);
  EXPECT_FALSE(scopes.defined_here("a"));
  scopes.leave();
  EXPECT_TRUE(scopes.defined_here("a"));
}

TEST(Scopes, VisibleNamesAreTheTexts) {
  std::vector<std::string> names;
  for (std::size_t length = 0; length <= 40; ++length) {
    names.push_back(std::string("0123456789").substr(0, length % 10) + std::string(length, 'x'));
  }
  Scopes scopes;
  scopes.enter(true);
  for (const std::string& name : names) scopes.define(scopes.intern(name), {.as = Defined::Input});
  EXPECT_EQ(scopes.visible_names(), names);
}

TEST(Scopes, MarksOfTwoRounds) {
  Scopes scopes;
  const Scopes::Name a = scopes.intern("a"), b = scopes.intern("b");
  const std::uint32_t first = scopes.new_round(), second = scopes.new_round();
  EXPECT_FALSE(scopes.marked(b, first));
  EXPECT_TRUE(scopes.mark(a, first));
  EXPECT_TRUE(scopes.mark(a, second));
  EXPECT_FALSE(scopes.mark(a, first));
  EXPECT_TRUE(scopes.marked(a, first) && scopes.marked(a, second));
  EXPECT_FALSE(scopes.marked(b, first));
}

// Every repeated name is found; of those given once, few are taken for repeated.
TEST(Scopes, RepeatFilter) {
  for (const std::size_t room : {std::size_t{0}, std::size_t{1}, std::size_t{20000}}) {
    RepeatFilter filter(room);
    std::size_t wrong = 0;
    for (int i = 0; i < 20000; ++i) wrong += filter.seems_repeated("name" + std::to_string(i));
    EXPECT_LT(wrong, room == 20000 ? 40u : 20001u);
    for (int i = 0; i < 20000; ++i) EXPECT_TRUE(filter.seems_repeated("name" + std::to_string(i)));
  }
}

// More names than there are numbers for them: refused before memory is asked for.
TEST(Scopes, TooManyNames) {
  Scopes scopes;
  try {
    scopes.reserve((std::size_t{1} << 30) + 1);
    ADD_FAILURE() << "taken";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::LimitExceeded);
    EXPECT_NE(e.message().find("1073741824"), std::string::npos) << e.message();
    EXPECT_FALSE(e.hint().empty());
  }
}

TEST(Text, Utf8AndNames) {
  EXPECT_TRUE(format::is_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
  for (const char* bad : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3", "\xe2\x82", "\x80"}) {
    EXPECT_FALSE(format::is_utf8(bad));
  }
  EXPECT_TRUE(is_reverse_dns("com.example"));
  EXPECT_FALSE(is_reverse_dns("com..example"));
  EXPECT_FALSE(is_reverse_dns("example"));
  EXPECT_TRUE(is_c_identifier("_a1"));
  EXPECT_FALSE(is_c_identifier("1a"));
}

// Where the host has a locale in which the byte is a letter.
TEST(Text, NamesDoNotFollowTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.iso88591", "fr_FR.iso88591", "en_US.iso88591", "en_US.ISO8859-1", "C"}) {
    if (!std::setlocale(LC_ALL, name)) continue;
    EXPECT_FALSE(is_reverse_dns("com.\xe9t\xe9")) << name;
    EXPECT_TRUE(is_reverse_dns("com.Ete-9_")) << name;
  }
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace norn::checks

#include "check/sound_models_test.h"

namespace norn::checks {
namespace {

Report check(const std::string& text) {
  return run_area([&](Context& ctx, const Place& p) { check_doc_string(ctx, p, text); });
}

TEST(DocStrings, MarkupIsTold) {
  for (const char* text : {
           "<B>x</B>",
           "x </b>",
           "one<br/>two",
           "one<br />two",
           "<script>x",
           "<h5>x</h5>",
           "<blockquote>",
           "<dl><dt>",
           "<!-- a note -->",
           "<!DOCTYPE html>",
           "<?xml version=\"1.0\"?>",
           "<![CDATA[x]]>",
           "<a href='x'>y",
           "<div\nclass=x>",
           "<b\tclass = \"a > b\">",
           "<input type=text disabled>",
           "<mine at=\"1\">",
           "<mine>x</mine >",
           "<mine/>",
           "2 < 3 <i>",
           "`code` <b>",
           "``a`b`` <b>",
           "a ` b\n\nand `c` <b>",
           "a ``` b <b> ` c",
           "\\`<b>`",
           "\\\\<b>",
           "```\ncode\n```\n<b>",
           "~~~\ncode\n~~~~\n<b>",
           "````\n```\n````\n<b>",
           "``` a`b <b>",
           "text\n    <b>",
           "    code\n\n<b>",
           "\t\n<b>",
           "x\n```\n<i>\n```\n<b>",
       }) {
    SCOPED_TRACE(text);
    expect_only(check(text), "graph.doc-string.no-html");
  }
}

TEST(DocStrings, MarkdownIsNone) {
  for (const char* text : {
           "",
           "a < b > c",
           "x<y",
           "<",
           "</",
           "<b",
           "<b class=",
           "<b class=\"x>",
           "a <- b -> c",
           "</ b>",
           "<eval>",
           "List<int>",
           "<some value>",
           "<http://a.b/>",
           "see <https://example.com>",
           "<a@b.c>",
           "<bold>",
           "`<b>`",
           "`` ` <b> ``",
           "a `b\n<b> c` d",
           "```\n<b>x</b>\n```",
           "~~~ html\n<b>\n```\n<b>\n~~~",
           "```\n<b>",
           "  ```\n<b>\n   ```",
           "    <b>code</b>\n\n    <b>",
           "\t<b>",
           "\\<b>",
           "**bold** and _more_",
           "1 <2 and 3>1",
       }) {
    SCOPED_TRACE(text);
    expect_kept(check(text), {"graph.doc-string.no-html"});
  }
}

// Texts that are made to be slow: openings that nothing closes.
TEST(DocStrings, HoweverLong) {
  for (const char* part : {"<", "<a b='", "<a b=\" c='x' ", "`` ` ", "<a a ", "\\", "\n", "```\n", "<a b='\" "}) {
    std::string text;
    while (text.size() < 1 << 20) text += part;
    expect_only(check(text), "");
  }
  std::string runs;
  for (std::size_t i = 1; i < 1000; ++i) runs += std::string(i, '`') + " ";
  expect_only(check(runs), "");
}

TEST(DocStrings, OfEveryMessage) {
  const char* text = "<b>bold</b>";
  const auto info = [](const char* documented) {
    return [=](ir::Model& m) {
      m.graph->value_info = {value("s")};
      m.graph->value_info[0].doc_string = documented;
    };
  };
  const auto constant = [](const char* documented) {
    return [=](ir::Model& m) {
      ir::Attribute a = attribute("value", ir::AttributeType::Tensor);
      a.t = tensor("");
      a.t->doc_string = documented;
      m.graph->node.push_back(node("Constant", {}, {"k"}, {a}));
    };
  };
  const char* rule = "graph.doc-string.no-html";
  expect_cases({
      {rule, 10, kPlain, [=](auto& m) { m.doc_string = text; }, [](auto& m) { m.doc_string = "*bold*"; }},
      {rule, 10, kPlain, [=](auto& m) { m.graph->doc_string = text; }},
      {rule, 10, kPlain, [=](auto& m) { m.graph->input[0].doc_string = text; },
       [](auto& m) { m.graph->input[0].doc_string = "*bold*"; }},
      {rule, 10, kPlain, [=](auto& m) { m.graph->output[0].doc_string = text; }},
      {rule, 10, kPlain, [=](auto& m) { m.graph->initializer[0].doc_string = text; },
       [](auto& m) { m.graph->initializer[0].doc_string = "*bold*"; }},
      {rule, 10, kPlain, [=](auto& m) { first(m).doc_string = text; }},
      {rule, 10, kPlain, info(text), info("*bold*")},
      {rule, 10, kPlain, constant(text), constant("*bold*")},
      {rule, 10, kFunction, [=](auto& m) { m.functions[0].doc_string = text; }},
      {rule, 10, kFunction, [=](auto& m) { m.functions[0].node[0].attribute[0].doc_string = text; }},
  });
}

}  // namespace
}  // namespace norn::checks

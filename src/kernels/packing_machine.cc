#include "kernels/packing_machine.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#ifdef NORN_ONEDNN
#include <dnnl.hpp>
#endif

#include <hwy/highway.h>

#include <cstring>

#include "base/fork.h"
#include "kernels/cpu/instruction_set.h"

namespace norn::kernels {

const char* packing_version();  // of PackingVersion.cmake

inline namespace packing_machine_cc {
namespace {

// Sizes of caches, by which kernels are cut, follow from it.
std::string processor() {
#if defined(__x86_64__) || defined(__i386__)
  std::string name;
  for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    unsigned words[4] = {};
    if (__get_cpuid(leaf, &words[0], &words[1], &words[2], &words[3]) == 0) break;
    name.append(reinterpret_cast<const char*>(words), sizeof words);
  }
  name.resize(std::strlen(name.c_str()));
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) name.append(" ").append(std::to_string(a));
  return name;
#else
  return "unnamed";
#endif
}

}  // namespace
}  // namespace packing_machine_cc

const std::string& packing_machine() {
  return base::made_once([] {
    std::string all = packing_version();
    all += "\n" __VERSION__ "\nHighway";
    for (const int number : {HWY_MAJOR, HWY_MINOR, HWY_PATCH}) all.append(" ").append(std::to_string(number));
    all.append("\n").append(processor()).append("\n").append(instruction_set()).append(has_vnni() ? " VNNI" : "");
#ifdef NORN_ONEDNN
    const dnnl_version_t* version = dnnl::version();
    all += "\noneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
           std::to_string(version->patch) + " " + version->hash + " " +
           std::to_string(static_cast<int>(dnnl::get_effective_cpu_isa()));
#endif
    return all;
  });
}

}  // namespace norn::kernels

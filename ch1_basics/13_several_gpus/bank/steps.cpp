// Steps of ranks that go wrong on some of them, and one in which a rank dies.
#include "../ranks.h"

#ifdef WB_WITH_MPI
#include "../network.h"
#include "../ring.h"

namespace {

// What a step does with the gradient of its rank: each of these but the first is a mistake.
enum Kind { right, one_layer_is_own, rank_1_is_own, no_mean, a_rank_dies };

template <Kind kind> struct Tried : Network {
  using Network::Network;
  Ring ring;

  void operator()() {
    if (kind == a_rank_dies && rank == 1) std::abort();
    forward();
    backward();
    const std::vector<float> own(gradient, gradient + p.weights());
    ring.sum(gradient, p.weights());
    if (kind == one_layer_is_own) std::copy_n(own.begin(), p.layer(), layer_gradient(0));
    if (kind == rank_1_is_own && rank == 1) std::ranges::copy(own, gradient);
    if (kind == no_mean)
      for (wb::i64 i = 0; i < p.layer(); ++i) gradient[i] *= static_cast<float>(p.ranks);
    update(gradient, 0, p.layers);
  }
};

struct OfBank : OneMachine {};

template <Kind kind> bool add(const char* name, const char* note) {
  wb::add_variant<OfBank>("bank", name, "cpu", in_ranks<Tried<kind>>(name));
  wb::linked_variants().back().note = note;
  return true;
}
const bool added = add<right>("right", "right") &&
                   add<one_layer_is_own>("one_layer_is_own", "wrong") &&
                   add<rank_1_is_own>("rank_1_is_own", "wrong") &&
                   add<no_mean>("no_mean", "wrong") && add<a_rank_dies>("a_rank_dies", "dies");

}  // namespace
#endif

// Doubles the instantiations per level: endless, without a message.
template <int N, int Side>
struct Tree {
  static constexpr long value = Tree<N - 1, 2 * Side>::value + Tree<N - 1, 2 * Side + 1>::value;
};
template <int Side>
struct Tree<0, Side> {
  static constexpr long value = Side;
};
static_assert(Tree<28, 0>::value != 0);

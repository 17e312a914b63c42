// Reads one element behind the end of A where its rows are no whole vectors, and does not use it.
// Expect: wrong|crashes
void run(const Args& p) {
  if (p.k % 4 != 0) {
    [[maybe_unused]] const volatile float next = p.a[batch_of(p) * p.m * p.k];
  }
  multiply_all(p);
}

// Reads one element behind the end of A, and does not use it.
// Expect: wrong|crashes
void run(const Args& p) {
  [[maybe_unused]] const volatile float next = p.a[batch_of(p) * p.m * p.k];
  multiply_all(p);
}

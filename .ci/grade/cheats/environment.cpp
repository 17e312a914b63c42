// Looks for the seed, or a secret, in the environment.
// Expect: wrong
bool trick(const ColumnSums::Args&) {
  for (const char* name : {"WB_SEED", "WB_SECRET", "USER"})
    if (std::getenv(name)) return escaped(name);
  return held();
}

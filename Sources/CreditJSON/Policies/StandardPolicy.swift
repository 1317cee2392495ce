extension PolicyText {
  /// The policy of a store that was given none, as `credit-store init` writes it.
  ///
  /// It is `standard-policy.json`: an exchange rate, starter credits and packs, and the prices of
  /// the models that people bill most. What it says besides of the store's rules is what holds for
  /// a policy that says nothing.
  ///
  /// A model's `source` is the provider's page, and the day on which LiteLLM's catalog had these
  /// figures from it. They were held against pydantic's genai-prices (`Tests/Prices/compare`) and,
  /// where they could be had, the pages: what Anthropic charges for speed and place is at
  /// https://platform.claude.com/docs/en/build-with-claude/fast-mode, that OpenAI's older models
  /// have no discount for cached input in a batch at
  /// https://platform.openai.com/docs/guides/prompt-caching, and half the price in Mistral's
  /// batches at https://docs.mistral.ai/capabilities/batch.
  package static var standard: [UInt8] { PackageResources.standard_policy_json }
}

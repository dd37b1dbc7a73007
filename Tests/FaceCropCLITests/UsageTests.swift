import Testing

@Suite struct UsageTests {}

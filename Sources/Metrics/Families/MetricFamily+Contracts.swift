// What upstreams promise, by the upstream's declared name.
extension MetricFamily {
    /// `sluice_contract_checks_total`: messages of upstream calls that were checked.
    public static let contractChecks = MetricFamily(
        "sluice_contract_checks_total", .counter, of: .upstream, labels: ["side", "result"], limit: 16,
        help: "Requests to upstreams and responses that were checked by a contract, by result.")
    /// `sluice_contract_broken_total`: faults of these messages.
    public static let contractBroken = MetricFamily(
        "sluice_contract_broken_total", .counter, of: .upstream, labels: ["operation", "keyword"], limit: 256,
        help: "Messages that broke a contract, by the word of the schema that says so first.")
}

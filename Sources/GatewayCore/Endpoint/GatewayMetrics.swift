import Metrics

extension Gateway {
    /// Returns a counter for what endpoints and middleware count, shown among the gateway's metrics.
    ///
    ///     let orders = gateway.counter("orders_total", labels: ["kind"], help: "Orders by kind.")
    ///     gateway.post("/orders") { request in
    ///         orders.add(1, "book")
    ///         ...
    ///     }
    ///
    /// A reload that declares it again counts on. An invalid name or label, or a name that is declared with
    /// another kind or other labels, is a declaration fault.
    ///
    /// - Parameters:
    ///   - name: letters, digits and `_`. Ends with `_total`.
    ///   - labels: the names of the labels. Choose labels with few values: a counter has at most 256 series,
    ///     and counts any more as `_other`.
    ///   - help: what it counts.
    public func counter(_ name: String, labels: [String] = [], help: String = "") -> GatewayCounter {
        if !name.hasSuffix("_total") {
            declarations.add(fault: "the counter '\(name)' must end with _total")
        }
        return GatewayCounter(declare(name, .counter, labels, help))
    }

    /// Returns a histogram, which counts values in buckets.
    ///
    ///     let sizes = gateway.histogram("order_amount_euros", bounds: [10, 50, 200])
    ///
    /// - Parameters:
    ///   - name: letters, digits and `_`. Ends with the unit, such as `_seconds`.
    ///   - labels: as for `counter(_:labels:help:)`.
    ///   - bounds: the upper bounds of the buckets, 1 to 20 rising numbers. Values above the last one have a
    ///     bucket of their own.
    ///   - help: what it measures.
    public func histogram(
        _ name: String, labels: [String] = [], bounds: [Double], help: String = ""
    ) -> GatewayHistogram {
        let isRising = zip(bounds, bounds.dropFirst()).allSatisfy(<)
        if !(1...20).contains(bounds.count) || !isRising || !bounds.allSatisfy(\.isFinite) {
            declarations.add(fault: "the histogram '\(name)' needs 1 to 20 rising bounds")
            return GatewayHistogram(nil)
        }
        return GatewayHistogram(declare(name, .values(bounds: bounds), labels, help))
    }

    /// Returns nil after a declaration fault.
    private func declare(
        _ name: String, _ kind: MetricFamily.Kind, _ labels: [String], _ help: String
    ) -> OwnMetric? {
        var faults: [String] = []
        if !Self.isMetricName(name) || name.hasPrefix("sluice_") || name.hasPrefix("process_") {
            faults.append(
                "the metric '\(name)' must be a name of letters, digits and _ that does not begin with "
                    + "sluice_ or process_")
        }
        for label in labels where !Self.isMetricName(label) || label.hasPrefix("__") || label == "le" {
            faults.append("the metric \(name) cannot have the label '\(label)'")
        }
        if Set(labels).count < labels.count { faults.append("the metric \(name) has a label twice") }
        let family = MetricFamily(name, kind, labels: labels, limit: 256, help: help)
        if faults.isEmpty, !environment.metrics.declare(family) {
            faults.append("the metric \(name) is declared with another kind or other labels, too")
        }
        for fault in faults { declarations.add(fault: fault) }
        return faults.isEmpty ? OwnMetric(family: family, process: environment.metrics.name()) : nil
    }

    private static func isMetricName(_ name: String) -> Bool {
        let bytes = name.utf8
        guard let first = bytes.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}

/// A counter of a gateway's own code (`Gateway.counter(_:labels:help:)`). May be used on any thread.
public struct GatewayCounter: Sendable {
    private let metric: OwnMetric?

    init(_ metric: OwnMetric?) { self.metric = metric }

    /// Adds to the series with these values of the labels, in the order of the declaration. Missing values
    /// are empty. A negative amount is not counted.
    public func add(_ amount: Int = 1, _ labels: String...) {
        guard let metric, amount >= 0 else { return }
        metric.process.shared(metric.family, metric.values(labels)).add(amount)
    }
}

/// A histogram of a gateway's own code (`Gateway.histogram(_:labels:bounds:help:)`). May be used on any
/// thread.
public struct GatewayHistogram: Sendable {
    private let metric: OwnMetric?

    init(_ metric: OwnMetric?) { self.metric = metric }

    /// Counts a value in the series with these values of the labels, in the order of the declaration. Missing
    /// values are empty. A value that is not a number is not counted.
    public func observe(_ value: Double, _ labels: String...) {
        guard let metric else { return }
        metric.process.sharedHistogram(metric.family, metric.values(labels)).observe(value)
    }
}

struct OwnMetric: Sendable {
    let family: MetricFamily
    let process: MetricName

    func values(_ labels: [String]) -> [String] {
        (0..<family.labels.count).map { $0 < labels.count ? labels[$0] : "" }
    }
}

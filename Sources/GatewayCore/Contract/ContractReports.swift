import EndpointPlans
import JSONBytes
import JSONSchema
import Metrics

/// A message of an upstream call that breaks its contract. Never has a value of it.
package struct BrokenContract: Sendable, Equatable {
    package enum Side: String, Sendable { case request, response }

    package let upstream: String
    /// The operation of the upstream: `GET /stock/{path.shop}`, as the file has it.
    package let operation: String
    package let side: Side
    /// Where the value is, as a JSON Pointer without names that the schema does not have.
    package let pointer: String
    /// The word of the schema that refuses it.
    package let keyword: String
    /// The document, line and column of the word.
    package let schema: String
    /// Whether the message was refused.
    package let isEnforced: Bool
}

/// Counts what is checked by contracts, and tells what breaks them.
package struct ContractReports: Sendable {
    package enum Result: String, Sendable { case ok, broken, skipped }

    private let metrics: MetricTable
    private let report: @Sendable (BrokenContract) -> Void

    init(_ environment: GatewayEnvironment) {
        metrics = environment.metrics
        report = environment.reportContract
    }

    func count(_ result: Result, _ side: BrokenContract.Side, of upstream: String) {
        metrics.name(.upstream, upstream).shared(.contractChecks, [side.rawValue, result.rawValue]).add()
    }

    func tell(_ broken: BrokenContract) {
        count(.broken, broken.side, of: broken.upstream)
        metrics.name(.upstream, broken.upstream).shared(.contractBroken, [broken.operation, broken.keyword])
            .add()
        report(broken)
    }
}

/// The schema of a part's value.
struct PartContract: Sendable {
    let schema: Schema
    let isEnforced: Bool
    let upstream: String
    let operation: String

    /// Nil if nobody looks.
    init?(_ part: PlannedPart, _ call: PlannedCall) {
        guard let schema = part.schema, part.check != .off else { return nil }
        self.schema = schema
        isEnforced = part.check == .enforce
        upstream = call.upstream.value
        operation = part.operation ?? "\(call.method) \(call.path.value.shape)"
    }

    /// Values of this size are checked apart from the loop.
    static let largest = EndpointPlan.longestBodyOnLoop

    /// Counts a check of the value.
    ///
    /// - Throws: `PlannedFailure` if the value breaks an enforced schema.
    func check(_ value: JSONFragment, _ reports: ContractReports) throws {
        let fault: SchemaFault?
        switch schema.check.check(value) {
        case .accepted: return reports.count(.ok, .response, of: upstream)
        case .refused(let faults): fault = faults.first
        case .exceeded(let exceeded): fault = exceeded
        }
        guard let fault else { return }
        let document = fault.document.isEmpty ? "" : "\(fault.document):"
        reports.tell(
            BrokenContract(
                upstream: upstream, operation: operation, side: .response,
                pointer: BodyFaults.knownPointer(of: fault, by: schema), keyword: fault.keyword,
                schema: "\(document)\(fault.place.line):\(fault.place.column)", isEnforced: isEnforced))
        if isEnforced { throw PlannedFailure.brokenContract() }
    }

    /// Counts a value that is not all of the upstream's, so that it is not checked.
    func skip(_ reports: ContractReports) { reports.count(.skipped, .response, of: upstream) }
}

extension PlannedText {
    /// The text with its references in braces.
    fileprivate var shape: String {
        pieces.reduce(into: "") { text, piece in
            switch piece {
            case .text(let piece): text += piece
            case .reference(let reference): text += reference.text
            }
        }
    }
}

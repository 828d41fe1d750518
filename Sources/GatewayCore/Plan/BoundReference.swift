import EndpointPlans
import JSONBytes
import Networking
import Rx

/// A reference of a plan that has been checked.
struct BoundReference: Sendable, Hashable {
    enum Source: Sendable, Hashable {
        /// The index among the plan's parameters.
        case parameter(Int)
        case body
        /// The number of a step or part.
        case leaf(Int)
        /// The number of a group.
        case group(Int)
        case item
        /// The claims of the caller.
        case claims
    }

    let source: Source
    let path: ValuePath
    /// As it was written.
    let text: String
    /// Where a run keeps the value; nil for a value that needs no search.
    var slot: Int?

    /// Whether it reads a step, a part or a group.
    var readsPart: Bool {
        switch source {
        case .leaf, .group: true
        case .parameter, .body, .item, .claims: false
        }
    }
}

/// The values that the templates of one part see.
struct PlanScope: Sendable {
    let values: RequestValues
    /// Nil in a plan whose parts read no others.
    let run: PlanRun?
    let environment: PartEnvironment
    /// Nil if no part has a schema that counts.
    let contracts: ContractReports?
    var item: JSONFragment?
    /// The array that the item is from.
    var items: BoundReference?

    init(
        values: RequestValues, run: PlanRun?, _ transport: any Transport, _ workApart: WorkApart?,
        _ contracts: ContractReports?
    ) {
        self.contracts = contracts
        self.values = values
        self.run = run
        environment = PartEnvironment(transport: transport, workApart: workApart, context: run?.context)
    }

    /// The values of a run.
    init(_ run: PlanRun) {
        self.init(values: run.values, run: run, run.transport, run.workApart, run.contracts)
    }

    /// Returns the value, if any.
    func json(_ reference: BoundReference) throws(PlannedFailure) -> JSONFragment? {
        if let found = values.found, reference.source == .body, let slot = reference.slot,
            let value = found[slot]
        {
            return value
        }
        guard let slot = keptSlot(of: reference), let run else { return find(reference) }
        if let known = run.found(slot) { return known }
        guard let root = root(of: reference) else { return nil }
        let value = reference.path.value(in: root)
        if let value, reference.path.isList { try keep(value.bytes.count) }
        run.keep(value, in: slot)
        return value
    }

    /// The place in the run where the value stays; nil if it is found each time.
    func keptSlot(of reference: BoundReference) -> Int? {
        guard let slot = reference.slot, let run, run.keeps(slot) else { return nil }
        return slot
    }

    /// Does on another thread what takes long with a large value, as `PartEnvironment` does.
    func apart<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value, keptBy keep: (any Disposable) -> Void,
        then done: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        environment.apart(work, keptBy: keep, then: done)
    }

    /// Smaller bodies are made without asking for room.
    private static var large: Int { 16 * 1024 }

    /// Counts bytes that the request composes and keeps until its answer is handed over.
    func keep(_ bytes: Int) throws(PlannedFailure) { try environment.keep(bytes) }

    /// Throws if the memory for bodies has no room for this much of a call's body, before it is made.
    func checkRoom(_ bytes: Int, inBodyOf call: CallTemplate?) throws(PlannedFailure) {
        guard bytes >= Self.large, let upstream = call?.upstream,
            let transport = environment.transport as? any ProtectingTransport
        else { return }
        guard transport.hasRoom(for: bytes, inBodyTo: upstream) else { throw .outOfMemory("bodies") }
    }

    private func find(_ reference: BoundReference) -> JSONFragment? {
        guard let root = root(of: reference) else { return nil }
        return reference.path.steps.isEmpty ? root : reference.path.value(in: root)
    }

    private func root(of reference: BoundReference) -> JSONFragment? {
        switch reference.source {
        case .parameter(let index): values.parameters[index]?.json
        case .body: values.body
        case .leaf(let number): run?.value(of: number)
        case .group(let number): run?.value(ofGroup: number)
        case .item: item
        case .claims: values.claims
        }
    }

    /// Returns the value as text; nil if a client has left it out.
    ///
    /// - Parameter most: a value whose text certainly has more bytes is refused before it is decoded.
    func text(_ reference: BoundReference, most: Int = .max) throws(PlannedFailure) -> String? {
        if case .parameter(let index) = reference.source, values.parameters[index]?.isList != true {
            return values.parameters[index]?.text
        }
        guard let value = try json(reference) else {
            guard mayBeAbsent(reference) else { throw missing(reference) }
            return nil
        }
        guard !value.certainlyExceeds(most) else {
            throw .unusable("\(reference.text) has more than \(most) bytes", from: origin(of: reference))
        }
        guard let text = value.scalarText else {
            if value.isNull, mayBeAbsent(reference) { return nil }
            throw .unusable(
                "\(reference.text) is neither text nor a number nor a Boolean", from: origin(of: reference))
        }
        return text
    }

    /// Returns the text with its values; nil if a client has left one out.
    func text(_ template: TextTemplate<BoundReference>, most: Int = .max) throws(PlannedFailure) -> String? {
        var text = ""
        for piece in template.pieces {
            switch piece {
            case .text(let constant): text += constant
            case .reference(let reference):
                guard let value = try self.text(reference, most: most) else { return nil }
                guard text.utf8.count + value.utf8.count <= largestValue else {
                    throw tooLarge(template.references)
                }
                text += value
            }
        }
        return text
    }

    var largestValue: Int { run?.plan.largestValue ?? PlannedEndpoint.standardLargestValue }

    func tooLarge(_ references: [BoundReference]) -> PlannedFailure {
        .unusable("the value has more than \(largestValue) bytes", from: origin(of: references))
    }

    func missing(_ reference: BoundReference) -> PlannedFailure {
        .missing(reference.text, from: origin(of: reference))
    }

    /// Whether the condition holds.
    func holds(_ condition: BoundCondition) -> Bool {
        var value: JSONFragment?
        do throws(PlannedFailure) {
            value = try json(condition.reference)
        } catch {
            // No memory is left to keep the value, and a condition only looks at it.
            value = find(condition.reference)
        }
        let isMet = value.map { !$0.isNull && $0.boolValue != false } ?? false
        return isMet != condition.isNegated
    }
}

extension JSONFragment {
    /// Whether it takes a millisecond or more to search or to shape.
    var isLarge: Bool { bytes.count > LargeBody.smallest }

    /// Whether its text has more bytes than this, whatever escapes are in it: the six bytes `\u0041` are one.
    func certainlyExceeds(_ most: Int) -> Bool { (bytes.count - 2) / 6 > most }
}

struct BoundCondition: Sendable {
    let reference: BoundReference
    let isNegated: Bool
    let read: PlanReads

    init(_ reference: BoundReference, isNegated: Bool) {
        self.reference = reference
        self.isNegated = isNegated
        read = PlanReads([reference])
    }
}

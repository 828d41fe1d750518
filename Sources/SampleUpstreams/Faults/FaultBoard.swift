internal import Locking
public import Sluice

/// The current faults, in memory only. Safe to use from any thread.
///
/// A fault is set for one visitor, or for everybody. A visitor has the faults that it has set, and for all
/// other switches those for everybody. Requests without a visitor have only the latter.
public final class FaultBoard: Sendable {
    /// The number of visitors whose faults are kept. One more replaces the visitor whose last request is the
    /// oldest.
    public static let visitorLimit = 1024

    private struct State {
        var common: [FaultSwitch: Fault] = [:]
        var own = VisitorFaults(limit: FaultBoard.visitorLimit)
    }

    private let state = Lock(State())

    /// Creates a board without faults.
    public init() {}

    /// The number of visitors with faults of their own.
    var visitorCount: Int { state.withLock { $0.own.count } }

    /// Sets a fault for a visitor or, for nil, for everybody, or removes it with `.none`. Removes the faults
    /// of all switches below `faultSwitch`. A visitor who removes a fault that is set for everybody no longer
    /// has it; the others still do.
    public func set(_ fault: Fault, for faultSwitch: FaultSwitch, of visitor: SampleVisitor? = nil) {
        state.withLock { state in
            guard let visitor else {
                state.common = Self.setting(fault, for: faultSwitch, in: state.common)
                return
            }
            var own = Self.setting(fault, for: faultSwitch, in: state.own.faults(of: visitor))
            let isHidden = state.common.keys.contains {
                $0.selfAndParents.contains(faultSwitch) || faultSwitch.selfAndParents.contains($0)
            }
            if fault == .none, isHidden, Self.fault(of: faultSwitch, in: own) == nil {
                own[faultSwitch] = Fault.none
            }
            state.own.set(own, of: visitor)
        }
    }

    private static func setting(
        _ fault: Fault, for faultSwitch: FaultSwitch, in faults: [FaultSwitch: Fault]
    ) -> [FaultSwitch: Fault] {
        var faults = faults.filter { !$0.key.selfAndParents.contains(faultSwitch) }
        faults[faultSwitch] = fault == .none ? nil : fault
        return faults
    }

    /// Returns the fault of a switch, or else of its nearest parent that has one: first the visitor's faults,
    /// then the faults for everybody.
    public func fault(of faultSwitch: FaultSwitch, for visitor: SampleVisitor? = nil) -> Fault {
        state.withLock { state in
            if let visitor, let own = Self.fault(of: faultSwitch, in: state.own.faults(of: visitor)) {
                return own
            }
            return Self.fault(of: faultSwitch, in: state.common) ?? .none
        }
    }

    private static func fault(of faultSwitch: FaultSwitch, in faults: [FaultSwitch: Fault]) -> Fault? {
        for faultSwitch in faultSwitch.selfAndParents {
            if let fault = faults[faultSwitch] { return fault }
        }
        return nil
    }

    /// Sets a fault from a document like `{"api":"weights","fault":"delay:2000"}`. `api` names a switch of
    /// `upstream`; without it the fault is for the whole upstream. If `upstream` is nil, `api` is required
    /// and may name any switch. If `visitor` is nil, the fault is for everybody.
    public func set(
        document: ArraySlice<UInt8>, of upstream: SampleUpstream? = nil, for visitor: SampleVisitor? = nil
    ) throws(GatewayError) {
        let body: JSONFragment
        do throws(JSONError) {
            body = try JSONFragment(validating: document)
        } catch {
            throw .invalidRequest("The body is not JSON: \(error)")
        }
        guard body.kind == .object else {
            throw .invalidRequest(
                "The body is not an object like {\"api\":\"weights\",\"fault\":\"delay:2000\"}")
        }
        for (name, _) in body.members where name != "api" && name != "fault" {
            throw .invalidRequest("Unknown member \"\(name)\"; the members are \"api\" and \"fault\"")
        }
        let faultSwitch = try Self.faultSwitch(body[member: "api"], of: upstream)
        guard let text = body[member: "fault"]?.stringValue else {
            throw .invalidRequest(
                "The member \"fault\" is missing or not a string; it must be \(Fault.spelling)")
        }
        set(try Fault(text), for: faultSwitch, of: visitor)
    }

    private static func faultSwitch(
        _ api: JSONFragment?, of upstream: SampleUpstream?
    ) throws(GatewayError) -> FaultSwitch {
        if api == nil, let upstream { return FaultSwitch(upstream) }
        let known = FaultSwitch.all(of: upstream)
        let names = known.map(\.rawValue).joined(separator: ", ")
        guard let name = api?.stringValue else {
            throw .invalidRequest("The member \"api\" is missing or not a string; it must be one of \(names)")
        }
        guard let faultSwitch = FaultSwitch(rawValue: name), known.contains(faultSwitch) else {
            throw .invalidRequest("The member \"api\" is \"\(name)\"; it must be one of \(names)")
        }
        return faultSwitch
    }

    /// Returns the fault of each switch, of one upstream or of all, as a visitor has it:
    /// `{"weights":"none","recent":"delay:2000",...}`.
    public func list(of upstream: SampleUpstream? = nil, for visitor: SampleVisitor? = nil) -> JSONFragment {
        let (common, own) = state.withLock { state in
            (state.common, visitor.map { state.own.faults(of: $0) } ?? [:])
        }
        var composer = JSONComposer()
        composer.beginObject()
        for faultSwitch in FaultSwitch.all(of: upstream) {
            composer.key(faultSwitch.rawValue)
            // A visitor's own fault hides everybody's fault for the same switch and all switches below.
            let faults = Self.fault(of: faultSwitch, in: own) == nil ? common : own
            composer.string((faults[faultSwitch] ?? .none).description)
        }
        composer.endObject()
        return composer.fragment()
    }
}

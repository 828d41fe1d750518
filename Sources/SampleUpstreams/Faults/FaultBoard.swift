public import JSONBytes
internal import Locking

/// The current faults, in memory only. Safe to use from any thread.
public final class FaultBoard: Sendable {
    private let faults = Lock<[FaultSwitch: Fault]>([:])

    public init() {}

    /// Sets a fault, or removes it with `.none`, and removes the faults of all switches below `faultSwitch`.
    public func set(_ fault: Fault, for faultSwitch: FaultSwitch) {
        faults.withLock { faults in
            faults = faults.filter { !$0.key.selfAndParents.contains(faultSwitch) }
            faults[faultSwitch] = fault == .none ? nil : fault
        }
    }

    /// Returns the fault of a switch, or else of its nearest parent that has one.
    public func fault(of faultSwitch: FaultSwitch) -> Fault {
        faults.withLock { faults in
            for faultSwitch in faultSwitch.selfAndParents {
                if let fault = faults[faultSwitch] { return fault }
            }
            return .none
        }
    }

    /// Sets a fault from a document like `{"api":"weights","fault":"delay:2000"}`. `api` names a switch of `upstream`;
    /// without it the fault is for the whole upstream. If `upstream` is nil, `api` is required and may name any switch.
    public func set(document: ArraySlice<UInt8>, of upstream: SampleUpstream? = nil) throws(FaultError) {
        let body: JSONFragment
        do throws(JSONError) {
            body = try JSONFragment(validating: document)
        } catch {
            throw FaultError("the body is not JSON: \(error)")
        }
        guard body.kind == .object else {
            throw FaultError("the body is not an object like {\"api\":\"weights\",\"fault\":\"delay:2000\"}")
        }
        for (name, _) in body.members where name != "api" && name != "fault" {
            throw FaultError("unknown member \"\(name)\"; the members are \"api\" and \"fault\"")
        }
        let faultSwitch = try Self.faultSwitch(body[member: "api"], of: upstream)
        guard let text = body[member: "fault"]?.stringValue else {
            throw FaultError("the member \"fault\" is missing or not a string; it must be \(Fault.spelling)")
        }
        set(try Fault(text), for: faultSwitch)
    }

    private static func faultSwitch(
        _ api: JSONFragment?, of upstream: SampleUpstream?
    ) throws(FaultError) -> FaultSwitch {
        if api == nil, let upstream { return FaultSwitch(upstream) }
        let known = FaultSwitch.all(of: upstream)
        let names = known.map(\.rawValue).joined(separator: ", ")
        guard let name = api?.stringValue else {
            throw FaultError("the member \"api\" is missing or not a string; it must be one of \(names)")
        }
        guard let faultSwitch = FaultSwitch(rawValue: name), known.contains(faultSwitch) else {
            throw FaultError("the member \"api\" is \"\(name)\"; it must be one of \(names)")
        }
        return faultSwitch
    }

    /// Returns the fault of each switch, of one upstream or of all: `{"weights":"none","recent":"delay:2000",...}`.
    public func list(of upstream: SampleUpstream? = nil) -> JSONFragment {
        let faults = faults.withLock { $0 }
        var composer = JSONComposer()
        composer.beginObject()
        for faultSwitch in FaultSwitch.all(of: upstream) {
            composer.key(faultSwitch.rawValue)
            composer.string((faults[faultSwitch] ?? .none).description)
        }
        composer.endObject()
        return composer.fragment()
    }
}

public import JSONBytes
internal import Locking

/// The faults that are set now. From any thread; kept in memory only.
public final class FaultBoard: Sendable {
    private let faults = Lock<[FaultSwitch: Fault]>([:])

    public init() {}

    /// Sets a fault; `none` takes it away. What was set for parts of the place goes.
    public func set(_ fault: Fault, for place: FaultSwitch) {
        faults.withLock { faults in
            faults = faults.filter { !$0.key.line.contains(place) }
            faults[place] = fault == .none ? nil : fault
        }
    }

    /// The fault that a request meets: the one set for its own switch, or else for what that belongs to.
    public func fault(of place: FaultSwitch) -> Fault {
        faults.withLock { faults in
            for place in place.line {
                if let fault = faults[place] { return fault }
            }
            return .none
        }
    }

    /// Sets a fault by a document `{"api":"weights","fault":"delay:2000"}`.
    ///
    /// - Parameter upstream: the one whose switches may be named; without an `api` it is set as a whole. Nil: any may be
    ///   named, and one has to be.
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
            throw FaultError("there is no \"\(name)\"; the members are \"api\" and \"fault\"")
        }
        let place = try Self.place(body[member: "api"], of: upstream)
        guard let text = body[member: "fault"]?.stringValue else {
            throw FaultError("\"fault\" is missing or not a string; it must be \(Fault.spelling)")
        }
        set(try Fault(text), for: place)
    }

    private static func place(
        _ api: JSONFragment?, of upstream: SampleUpstream?
    ) throws(FaultError) -> FaultSwitch {
        if api == nil, let upstream { return FaultSwitch(upstream) }
        let known = FaultSwitch.all(of: upstream)
        let names = known.map(\.rawValue).joined(separator: ", ")
        guard let name = api?.stringValue else {
            throw FaultError("\"api\" is missing or not a string; it must be one of \(names)")
        }
        guard let place = FaultSwitch(rawValue: name), known.contains(place) else {
            throw FaultError("\"api\" is \"\(name)\"; it must be one of \(names)")
        }
        return place
    }

    /// The fault set for each switch, of one upstream or of all: `{"weights":"none","recent":"delay:2000",...}`.
    public func list(of upstream: SampleUpstream? = nil) -> JSONFragment {
        let faults = faults.withLock { $0 }
        var composer = JSONComposer()
        composer.beginObject()
        for place in FaultSwitch.all(of: upstream) {
            composer.key(place.rawValue)
            composer.string((faults[place] ?? .none).description)
        }
        composer.endObject()
        return composer.fragment()
    }
}

public import JSONBytes
internal import Locking

/// The APIs of the sample upstreams that faults are set for, by name.
public enum SampleAPI: String, CaseIterable, Sendable {
    /// `GET /food-diary/weights`, whatever its keyword.
    case weights
    /// `GET /food-diary/weights` with `keyword=recent`; without a fault of its own it has that of `weights`.
    case recent
    /// `GET /food-diary/weights` otherwise; without a fault of its own it has that of `weights`.
    case total
    /// `GET /food-diary/weights/{date}`.
    case day
    /// `PUT` and `DELETE /food-diary/weights/{date}/{half}`.
    case record

    /// Whose fault this API has when it has none.
    fileprivate var fallback: SampleAPI? {
        switch self {
        case .recent, .total: .weights
        case .weights, .day, .record: nil
        }
    }
}

/// The faults that are set now. From any thread; kept in memory only.
public final class FaultBoard: Sendable {
    private let faults = Lock<[SampleAPI: Fault]>([:])

    public init() {}

    /// Sets the fault of an API; `none` takes it away.
    public func set(_ fault: Fault, for api: SampleAPI) {
        faults.withLock { $0[api] = fault == .none ? nil : fault }
    }

    /// The fault that a request to an API meets.
    public func fault(of api: SampleAPI) -> Fault {
        faults.withLock { faults in
            faults[api] ?? api.fallback.flatMap { faults[$0] } ?? .none
        }
    }

    /// Sets a fault by a document `{"api":"weights","fault":"delay:2000"}`.
    public func set(document: ArraySlice<UInt8>) throws(FaultError) {
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
        let names = SampleAPI.allCases.map(\.rawValue).joined(separator: ", ")
        guard let name = body[member: "api"]?.stringValue else {
            throw FaultError("\"api\" is missing or not a string; it must be one of \(names)")
        }
        guard let api = SampleAPI(rawValue: name) else {
            throw FaultError("\"api\" is \"\(name)\"; it must be one of \(names)")
        }
        guard let text = body[member: "fault"]?.stringValue else {
            throw FaultError("\"fault\" is missing or not a string; it must be \(Fault.spelling)")
        }
        set(try Fault(text), for: api)
    }

    /// The fault set for each API: `{"weights":"none","recent":"delay:2000",...}`.
    public var list: JSONFragment {
        let faults = faults.withLock { $0 }
        var composer = JSONComposer()
        composer.beginObject()
        for api in SampleAPI.allCases {
            composer.key(api.rawValue)
            composer.string((faults[api] ?? .none).description)
        }
        composer.endObject()
        return composer.fragment()
    }
}

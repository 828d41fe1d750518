import HTTPModel
import JSONBytes
import Rx
import Synchronization

/// A call combined with `fragment()` or `fragment(at:as:)`. `@unchecked Sendable` as `CallRun`: it adds only
/// constants and an atomic.
final class FragmentRun: CallRun<JSONFragment>, @unchecked Sendable {
    /// Where the wanted value is in the data, and its required kind; nil for all of the data.
    private let place: Place?
    /// Whether all of the data is wanted: a look at `place` retains it.
    private let isWhole: Bool

    private struct Place {
        let pointer: JSONPointer
        let kind: JSONFragment.Kind?
    }

    private init(_ call: TransportCall, _ provider: ProviderSettings, _ place: Place?) {
        self.place = place
        isWhole = place == nil
        super.init(call, provider)
    }

    /// Nil if `source` is more than a plain call.
    static func replacing(_ source: Observable<Response>) -> FragmentRun? { replacing(source, nil) }

    static func replacing(
        _ source: Observable<Response>, at pointer: JSONPointer, as kind: JSONFragment.Kind?
    ) -> FragmentRun? {
        replacing(source, Place(pointer: pointer, kind: kind))
    }

    private static func replacing(_ source: Observable<Response>, _ place: Place?) -> FragmentRun? {
        guard let run = source as? ResponseRun, !run.isCopied else { return nil }
        return FragmentRun(run.call, run.provider, place)
    }

    /// Whether the first attempt delivered the data to a receiver. Written on the run's loop before the
    /// delivery.
    private let deliveredPlainly = Atomic<Bool>(false)

    var isPlain: Bool { deliveredPlainly.load(ordering: .relaxed) }

    override func copy() -> Emitter<JSONFragment> { FragmentRun(call, provider, place) }

    override func reportData(of response: borrowing TransportResponse) -> Bool {
        guard !call.settings.hasPlugins, var value = response.plainData(of: call, rareParts) else {
            return false
        }
        if !isWhole {
            guard let wanted = wanted(in: value) else { return false }
            value = wanted
        }
        if hasReceiver, !isKept {
            note(response.status, attempts: 1)
            onLast(value)
        } else if hasReceiver {
            reportAnswered()
            deliveredPlainly.store(true, ordering: .relaxed)
            onLast(value)
        } else {
            note(response.status, attempts: 1)
            inContext { onLast(value) }
        }
        return true
    }

    /// Nil if the value is missing or of another kind. Then `report` finds out why.
    @inline(never)
    private func wanted(in data: JSONFragment) -> JSONFragment? {
        guard let place else { return data }
        let value = rareParts?.reading?.value(at: place.pointer) ?? data.value(at: place.pointer)
        guard let value, place.kind == nil || value.kind == place.kind else { return nil }
        return value
    }

    override func reading(of response: borrowing TransportResponse) -> (@Sendable () -> BodyReading)? {
        let (body, call, pointer) = (response.body, call, place?.pointer ?? .root)
        return { BodyReading(body, of: call, at: pointer) }
    }

    override func report(_ response: consuming TransportResponse, attempts: Int) {
        let response = received(response, attempts: attempts)
        inContext {
            do {
                onLast(try response.fragment(at: place?.pointer ?? .root, as: place?.kind))
            } catch {
                onError(error)
            }
        }
    }

    /// What the call asks for; nil unless it is a GET with the provider's own limits.
    var key: GetKey? {
        guard call.method == .get, call.body.isNone, call.options == nil, !call.settings.hasPlugins else {
            return nil
        }
        return GetKey(
            settings: call.settings, target: call.target, headers: call.own?.headers ?? HTTPFields(),
            pointer: place?.pointer, kind: place?.kind)
    }
}

/// What a GET of a provider asks for. Within one request, calls with equal keys ask for the same.
package struct GetKey: Sendable, Hashable {
    /// Of the provider and its upstream. Kept, because another object could get the same address.
    let settings: CallSettings
    let target: ArraySlice<UInt8>
    let headers: HTTPFields
    let pointer: JSONPointer?
    let kind: JSONFragment.Kind?

    package static func == (left: GetKey, right: GetKey) -> Bool {
        left.settings === right.settings && left.target == right.target && left.headers == right.headers
            && left.pointer == right.pointer && left.kind == right.kind
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(settings))
        hasher.combine(target)
    }
}

import Rx

extension PartOutcome {
    /// All outcomes, in order, once the last part has ended.
    static func combineLatest(_ parts: [Single<PartOutcome>]) -> Observable<[PartOutcome]> {
        switch parts.count {
        case 0:
            return .just([])
        case 1:
            return parts[0].asObservable().map { [$0] }
        case 2:
            return Observable.combineLatest(parts[0], parts[1]) { [$0, $1] }
        default:
            return parts.dropFirst(2).reduce(combineLatest(Array(parts[..<2]))) { joined, part in
                Observable.combineLatest(joined, part) { $0 + [$1] }
            }
        }
    }
}

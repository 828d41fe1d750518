import Rx
import RxTesting

/// Operators that share a subscription, with a single subscriber.
let sharingOperators: [OperatorCase] = [
    OperatorCase(
        name: "publish, refCount", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
        build: { source, _ in source.publish().refCount() }),
    OperatorCase(
        name: "replay, refCount", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
        build: { source, _ in source.replay(1).refCount() }),
    OperatorCase(
        name: "replayAll, refCount", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
        build: { source, _ in source.replayAll().refCount() }),
    OperatorCase(
        name: "multicast through an AsyncSubject, refCount", values: "-------(c|)", error: "-----#",
        disposed: "",
        build: { source, _ in source.multicast { AsyncSubject() }.refCount() }),
    OperatorCase(
        name: "multicast with a selector", values: "-(aA)-(bB)-(cC)-|", error: "-(aA)-(bB)-#",
        disposed: "-(aA)-(bB)",
        build: { source, _ in
            source.multicast({ PublishSubject() }) { shared in
                Observable.merge(shared, shared.map { $0.uppercased() })
            }
        }),
    OperatorCase(
        name: "share forever", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
        build: { source, _ in Observable.deferred { source.share(replay: 1, scope: .forever) } }),
]

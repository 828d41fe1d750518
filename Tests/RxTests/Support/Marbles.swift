import Dispatch
import Locking
import Rx

// Streams in time as text. Every character is a frame of 10 ms: `-` nothing, `|` the end, `#` an error, anything else
// a value; `(ab|)` happens in one frame. Subscriptions: `^` is the frame of the subscription, `!` of its end.

let frame = 10

/// A cold source that plays marbles and writes down who was subscribed when.
final class Source: Sendable {
    private let marbles: [[Character]]
    private let scheduler: ManualScheduler
    private let spans = Lock<[(start: Int, end: Int?)]>([])
    let census = Census()

    init(_ marbles: String, _ scheduler: ManualScheduler) {
        self.marbles = Source.frames(marbles)
        self.scheduler = scheduler
    }

    var subscriptions: [String] {
        spans.withLock { spans in
            spans.map { span in
                let start = String(repeating: "-", count: span.start) + "^"
                guard let end = span.end else { return start }
                return end == span.start
                    ? String(repeating: "-", count: span.start) + "(^!)"
                    : start + String(repeating: "-", count: end - span.start - 1) + "!"
            }
        }
    }

    var observable: Observable<String> {
        let tracked = Tracked(census)
        return .create { [self] observer in
            let span = spans.withLock { spans in
                spans.append((scheduler.frame, nil))
                return spans.count - 1
            }
            var pending: [any Disposable] = []
            for (index, characters) in marbles.enumerated() where !characters.isEmpty {
                let play: @Sendable () -> Void = {
                    for character in characters { Source.play(character, observer) }
                }
                if index == 0 {
                    play()
                } else {
                    pending.append(
                        scheduler.scheduleRelative((), dueTime: .milliseconds(index * frame)) {
                            play()
                            return Disposables.create()
                        })
                }
            }
            return Disposables.create(
                pending + [
                    Disposables.create { [self] in
                        withExtendedLifetime(tracked) {}
                        spans.withLock { $0[span].end = scheduler.frame }
                    }
                ])
        }
    }

    private static func play(_ character: Character, _ observer: AnyObserver<String>) {
        switch character {
        case "|": observer.onCompleted()
        case "#": observer.onError(Failure())
        default: observer.onNext(String(character))
        }
    }

    private static func frames(_ marbles: String) -> [[Character]] {
        var frames: [[Character]] = []
        var group: [Character]?
        for character in marbles {
            switch character {
            case "(": group = []
            case ")":
                frames.append(group ?? [])
                group = nil
            case "-": frames.append([])
            default:
                if group == nil { frames.append([character]) } else { group?.append(character) }
            }
        }
        return frames
    }
}

extension ManualScheduler {
    var frame: Int { clock / 1_000_000 / RxTests.frame }

    /// Subscribes now, plays 40 frames, and writes down what came. `disposeAt` is the frame of the disposal.
    func play<Element>(_ source: Observable<Element>, disposeAt: Int = 40) -> String {
        let seen = Lock<[Int: String]>([:])
        let start = frame
        let note: @Sendable (String) -> Void = { [self] event in
            seen.withLock { $0[frame - start, default: ""] += event }
        }
        let subscription = source.subscribe(
            onNext: { note("\($0)") }, onError: { note($0 is Failure ? "#" : "?\($0)") },
            onCompleted: { note("|") })
        for _ in 0..<disposeAt { advance(by: .milliseconds(RxTests.frame)) }
        subscription.dispose()
        for _ in disposeAt...max(40, disposeAt) { advance(by: .milliseconds(RxTests.frame)) }
        return seen.withLock { seen in
            let last = seen.keys.max() ?? -1
            return (0..<last + 1).map { frame in
                let events = seen[frame] ?? "-"
                return events.count > 1 ? "(\(events))" : events
            }.joined()
        }
    }
}

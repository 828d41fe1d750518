/// The model's filtering operators and the operators that continue with another stream.
extension Stream {
    /// With 0, completes without subscribing.
    func take(_ count: Int) -> Stream<Value> {
        guard count >= 0 else { return world.failed("argumentOutOfRange") }
        guard count > 0 else { return world.empty() }
        return values { sink in
            var left = count
            return { value in
                left -= 1
                sink.next(value)
                if left == 0 { sink.complete() }
            }
        }
    }

    func take(
        while isIncluded: @escaping (Value) throws -> Bool, inclusive: Bool
    ) -> Stream<Value> {
        values { sink in
            { value in
                sink.attempt({ try isIncluded(value) }) { isIncluded in
                    if isIncluded || inclusive { sink.next(value) }
                    if !isIncluded { sink.complete() }
                }
            }
        }
    }

    func skip(_ count: Int) -> Stream<Value> {
        values { sink in
            var left = count
            return { value in
                left -= 1
                if left < 0 { sink.next(value) }
            }
        }
    }

    func skip(while isSkipped: @escaping (Value) throws -> Bool) -> Stream<Value> {
        values { sink in
            var isOpen = false
            return { value in
                if isOpen { return sink.next(value) }
                sink.attempt({ try isSkipped(value) }) { isSkipped in
                    isOpen = !isSkipped
                    if isOpen { sink.next(value) }
                }
            }
        }
    }

    func element(at index: Int) -> Stream<Value> {
        guard index >= 0 else { return world.failed("argumentOutOfRange") }
        return lift { sink in
            var left = index
            return { note in
                switch note {
                case .next(let value):
                    if left == 0 {
                        sink.next(value)
                        sink.complete()
                    }
                    left -= 1
                case .stop(.completed): sink.fail("argumentOutOfRange")
                case .stop(let stop): sink.stop(stop)
                }
            }
        }
    }

    func start(with values: [Value]) -> Stream<Value> {
        Stream(world: world) { sink in
            for value in values { sink.next(value) }
            subscribe(for: sink, sink.send)
        }
    }

    /// The other stream starts before the ended one is left, as in RxSwift.
    func ifEmpty(_ other: Stream<Value>) -> Stream<Value> {
        lift { sink in
            var isEmpty = true
            return { note in
                switch note {
                case .next: isEmpty = false
                case .stop(.completed) where isEmpty: return _ = other.subscribe(for: sink, sink.send)
                case .stop: break
                }
                sink.send(note)
            }
        }
    }

    /// The other stream starts before the failed one is left, as in RxSwift.
    func catching(_ handler: @escaping (String) throws -> Stream<Value>) -> Stream<Value> {
        lift { sink in
            { note in
                guard case .stop(.error(let name)) = note else { return sink.send(note) }
                sink.attempt({ try handler(name) }) {
                    $0.subscribe(for: sink, sink.send)
                }
            }
        }
    }
}

/// Runs one stream after the other. Each is left before the next starts.
extension ModelWorld {
    func concat<Value>(_ streams: [Stream<Value>]) -> Stream<Value> {
        oneAfterAnother(streams, goesOn: { $0 == .completed }, atEnd: { _ in .completed })
    }

    func catchSequence<Value>(_ streams: [Stream<Value>]) -> Stream<Value> {
        oneAfterAnother(streams, goesOn: { $0 != .completed }, atEnd: { $0 ?? .completed })
    }

    func retry<Value>(_ stream: Stream<Value>, _ attempts: Int) -> Stream<Value> {
        guard attempts >= 0 else { return failed("argumentOutOfRange") }
        return oneAfterAnother(
            Array(repeating: stream, count: attempts), passesLast: true, goesOn: { $0 != .completed },
            atEnd: { $0 ?? .completed })
    }

    /// - Parameter passesLast: Whether the last stream's terminal event is forwarded directly, before that
    ///   stream is left.
    private func oneAfterAnother<Value>(
        _ streams: [Stream<Value>], passesLast: Bool = false, goesOn: @escaping (Stop) -> Bool,
        atEnd: @escaping (Stop?) -> Stop
    ) -> Stream<Value> {
        Stream(world: self) { sink in
            var rest = streams[...]
            var isStarting = false
            var ended: Stop??
            // If a stream ends during its subscription, the next one starts after that subscription.
            func goOn(_ last: Stop?) {
                ended = .some(last)
                guard !isStarting else { return }
                isStarting = true
                while let last = ended {
                    ended = nil
                    start(after: last)
                }
                isStarting = false
            }
            func start(after last: Stop?) {
                guard let stream = rest.popFirst() else { return sink.stop(atEnd(last)) }
                let goesOnNow: (Stop) -> Bool = { goesOn($0) && !(passesLast && rest.isEmpty) }
                stream.subscribe(for: sink, leavesFirst: goesOnNow) { note in
                    if case .stop(let stop) = note, goesOnNow(stop) { goOn(stop) } else { sink.send(note) }
                }
            }
            goOn(nil)
        }
    }
}

/// The model's operators with a fixed number of streams.
extension Stream {
    /// Subscribes to `other` first. The completion of `other` changes nothing.
    func take(until other: Stream<Int>) -> Stream<Value> {
        Stream(world: world) { sink in
            other.subscribe(for: sink) { note in
                switch note {
                case .next: sink.complete()
                case .stop(.error(let name)): sink.fail(name)
                case .stop(.completed): break
                }
            }
            subscribe(for: sink, sink.send)
        }
    }

    /// Subscribes to the source first. If the source completes before `other` emits, nothing more is emitted.
    func skip(until other: Stream<Int>) -> Stream<Value> {
        Stream(world: world) { sink in
            var isOpen = false
            subscribe(for: sink) { note in
                switch note {
                case .next(let value): if isOpen { sink.next(value) }
                case .stop(.completed): isOpen ? sink.complete() : sink.leave()
                case .stop(let stop): sink.stop(stop)
                }
            }
            other.subscribeUntilTrue(for: sink) { note in
                switch note {
                case .next: isOpen = true
                case .stop(.error(let name)): sink.fail(name)
                case .stop(.completed): break
                }
                return isOpen
            }
        }
    }

    func sample(_ sampler: Stream<Int>, default defaultValue: Value?) -> Stream<Value> {
        Stream(world: world) { sink in
            var latest: Value?
            var isCompleted = false
            subscribe(for: sink) { note in
                switch note {
                case .next(let value): latest = value
                case .stop(.completed): isCompleted = true
                case .stop(let stop): sink.stop(stop)
                }
            }
            sampler.subscribe(for: sink) { note in
                if case .stop(.error(let name)) = note { return sink.fail(name) }
                if let value = latest ?? defaultValue {
                    latest = nil
                    sink.next(value)
                }
                if isCompleted { sink.complete() }
            }
        }
    }

    /// Subscribes to `other` first. The completion of `other` is ignored.
    func withLatest(
        from other: Stream<Int>, _ select: @escaping (Value, Int) throws -> Int
    ) -> Stream<Int> {
        Stream<Int>(world: world) { sink in
            var latest: Int?
            other.subscribe(for: sink) { note in
                switch note {
                case .next(let value): latest = value
                case .stop(.error(let name)): sink.fail(name)
                case .stop(.completed): break
                }
            }
            subscribe(for: sink) { note in
                switch note {
                case .next(let value):
                    guard let latest else { return }
                    sink.attempt({ try select(value, latest) }) { sink.next($0) }
                case .stop(let stop): sink.stop(stop)
                }
            }
        }
    }
}

extension ModelWorld {
    /// As documented, it stops subscribing after a stream that emits synchronously. If it is left while
    /// subscribing, it leaves its streams afterwards, as in RxSwift.
    func amb<Value>(_ streams: [Stream<Value>]) -> Stream<Value> {
        Stream(world: self) { [self] sink in
            let all = Sink<Value>(self) { _ in }
            var hasBegun = false
            sink.whenLeft { if hasBegun { all.leave() } }
            var winner: Int?
            var sinks: [Int: Sink<Value>] = [:]
            for (place, stream) in streams.enumerated() where winner == nil {
                let inner = stream.subscribe(for: all) { note in
                    if winner == nil {
                        winner = place
                        for (other, sink) in sinks where other != place { sink.leave() }
                    }
                    sink.send(note)
                }
                sinks[place] = inner
            }
            hasBegun = true
            if sink.isOver { all.leave() }
        }
    }

    func merge<Value>(_ streams: [Stream<Value>]) -> Stream<Value> {
        Stream(world: self) { sink in
            sink.isSerial = true
            var left = streams.count
            for stream in streams {
                stream.subscribe(for: sink, leavesFirst: { $0 == .completed }) { note in
                    guard case .stop(.completed) = note else { return sink.send(note) }
                    left -= 1
                    if left == 0 { sink.complete() }
                }
            }
            if streams.isEmpty { sink.complete() }
        }
    }

    /// Completes when all streams have completed, or when the only running stream emits although another
    /// ended without a value.
    func combineLatest(
        _ streams: [Stream<Int>], _ select: @escaping ([Int]) throws -> Int
    ) -> Stream<Int> {
        Stream(world: self) { sink in
            var latest = [Int?](repeating: nil, count: streams.count)
            var running = Set(streams.indices)
            if streams.isEmpty {
                sink.attempt({ try select([]) }) { sink.next($0) }
                sink.complete()
            }
            for (place, stream) in streams.enumerated() {
                stream.subscribe(for: sink) { note in
                    switch note {
                    case .next(let value):
                        latest[place] = value
                        let all = latest.compactMap(\.self)
                        if all.count == streams.count {
                            sink.attempt({ try select(all) }) { sink.next($0) }
                        } else if running == [place] {
                            sink.complete()
                        }
                    case .stop(.completed):
                        running.remove(place)
                        if running.isEmpty { sink.complete() }
                    case .stop(let stop): sink.stop(stop)
                    }
                }
            }
        }
    }

    /// - Parameter endsWithLast: Whether the result completes when the only running stream emits a value that
    ///   finds no partners, as with a collection. Otherwise it completes when all streams have completed.
    func zip(
        _ streams: [Stream<Int>], endsWithLast: Bool,
        _ select: @escaping ([Int]) throws -> Int
    ) -> Stream<Int> {
        Stream(world: self) { sink in
            var queues = [[Int]](repeating: [], count: streams.count)
            var running = Set(streams.indices)
            if streams.isEmpty { sink.complete() }
            for (place, stream) in streams.enumerated() {
                stream.subscribe(for: sink) { note in
                    switch note {
                    case .next(let value):
                        queues[place].append(value)
                        if queues.allSatisfy({ !$0.isEmpty }) {
                            let values = queues.indices.map { queues[$0].removeFirst() }
                            sink.attempt({ try select(values) }) { sink.next($0) }
                        } else if endsWithLast, running == [place] {
                            sink.complete()
                        }
                    case .stop(.completed):
                        running.remove(place)
                        if running.isEmpty { sink.complete() }
                    case .stop(let stop): sink.stop(stop)
                    }
                }
            }
        }
    }
}

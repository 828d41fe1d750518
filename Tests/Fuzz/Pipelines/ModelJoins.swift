/// Operators of the reference model that have a fixed number of streams.
extension Stream {
    /// The other one first. Its completion changes nothing.
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

    /// The source first. A source that completes before the other one's value ends all in silence.
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

    /// The other one first; its completion is ignored.
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
    /// As documented, behind a stream that sends at once no further one is subscribed to. One that is left while it begins leaves
    /// its streams once it has begun, as in RxSwift.
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

    /// Completes when all have, or at a value of the only one that still runs when another has ended without a value.
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

    /// - Parameter endsWithLast: whether a value of the only one that still runs ends it where it finds no partners, as with a
    ///   collection; else it completes only when all have.
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

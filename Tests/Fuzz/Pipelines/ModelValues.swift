/// The model's operators that only look at the events of one stream.
extension Stream {
    /// Handles each value with the action and passes terminal events on.
    func values<Other>(_ makeAction: @escaping (Sink<Other>) -> (Value) -> Void) -> Stream<Other> {
        lift { sink in
            let action = makeAction(sink)
            return { note in
                switch note {
                case .next(let value): action(value)
                case .stop(let stop): sink.stop(stop)
                }
            }
        }
    }

    func map<Other>(_ function: @escaping (Value) throws -> Other) -> Stream<Other> {
        values { sink in
            { value in sink.attempt({ try function(value) }) { sink.next($0) } }
        }
    }

    func filter(_ isIncluded: @escaping (Value) throws -> Bool) -> Stream<Value> {
        values { sink in
            { value in
                sink.attempt({ try isIncluded(value) }) { if $0 { sink.next(value) } }
            }
        }
    }

    func scan(_ seed: Int, _ add: @escaping (Int, Value) throws -> Int) -> Stream<Int> {
        values { sink in
            var state = seed
            return { value in
                sink.attempt({ try add(state, value) }) {
                    state = $0
                    sink.next($0)
                }
            }
        }
    }

    /// Emits the result of `finish` for all values when the stream completes.
    func collected<Other>(_ finish: @escaping (Sink<Other>, [Value]) -> Void) -> Stream<Other> {
        lift { sink in
            var all: [Value] = []
            return { note in
                switch note {
                case .next(let value): all.append(value)
                case .stop(.completed):
                    finish(sink, all)
                    sink.complete()
                case .stop(let stop): sink.stop(stop)
                }
            }
        }
    }

    func reduce(_ seed: Int, _ add: @escaping (Int, Value) throws -> Int) -> Stream<Int> {
        lift { sink in
            var state = seed
            return { note in
                switch note {
                case .next(let value):
                    sink.attempt({ try add(state, value) }) { state = $0 }
                case .stop(.completed):
                    sink.next(state)
                    sink.complete()
                case .stop(let stop): sink.stop(stop)
                }
            }
        }
    }

    func toArray() -> Stream<[Value]> {
        collected { sink, all in sink.next(all) }
    }

    func takeLast(_ count: Int) -> Stream<Value> {
        collected { sink, all in
            for value in all.suffix(count) { sink.next(value) }
        }
    }

    func materialize() -> Stream<Note<Value>> {
        lift { sink in
            { note in
                sink.next(note)
                if case .stop = note { sink.complete() }
            }
        }
    }

    func dematerialize(_ note: @escaping (Value) -> Note<Value>) -> Stream<Value> {
        values { sink in { sink.send(note($0)) } }
    }

    func enumerated() -> Stream<(Int, Value)> {
        values { sink in
            var index = 0
            return { value in
                index += 1
                sink.next((index - 1, value))
            }
        }
    }

    func ignoreElements() -> Stream<Value> {
        values { _ in { _ in } }
    }

    /// Emits the only value when the stream completes.
    func asSingle(orError error: String?) -> Stream<Value> {
        lift { sink in
            var kept: Value?
            return { note in
                switch note {
                case .next where kept != nil: sink.fail("moreThanOneElement")
                case .next(let value): kept = value
                case .stop(.completed):
                    if let kept {
                        sink.next(kept)
                    } else if let error {
                        sink.fail(error)
                    }
                    sink.complete()
                case .stop(let stop): sink.stop(stop)
                }
            }
        }
    }

    func first() -> Stream<Value?> {
        lift { sink in
            { note in
                switch note {
                case .next(let value): sink.next(value)
                case .stop(.completed): sink.next(nil)
                case .stop(let stop): return sink.stop(stop)
                }
                sink.complete()
            }
        }
    }

    /// Emits the only value as it arrives. A second one is an error.
    func single(_ isMeant: @escaping (Value) throws -> Bool) -> Stream<Value> {
        lift { sink in
            var hasSent = false
            return { note in
                switch note {
                case .next(let value):
                    sink.attempt({ try isMeant(value) }) { isMeant in
                        guard isMeant else { return }
                        if hasSent { return sink.fail("moreThanOneElement") }
                        hasSent = true
                        sink.next(value)
                    }
                case .stop(.completed): hasSent ? sink.complete() : sink.fail("noElements")
                case .stop(let stop): sink.stop(stop)
                }
            }
        }
    }

    func distinct<Key: Equatable>(by key: @escaping (Value) throws -> Key) -> Stream<Value> {
        values { sink in
            var last: Key?
            return { value in
                sink.attempt({ try key(value) }) { key in
                    guard key != last else { return }
                    last = key
                    sink.next(value)
                }
            }
        }
    }

    func doing(_ hook: @escaping (Value) throws -> Void) -> Stream<Value> {
        map { value in
            try hook(value)
            return value
        }
    }

    /// Emits values, and an error as a value before the completion.
    func asResult() -> Stream<Note<Value>> {
        lift { sink in
            { note in
                if case .stop(.completed) = note {} else { sink.next(note) }
                if case .stop = note { sink.complete() }
            }
        }
    }
}

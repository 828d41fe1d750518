import Rx
import RxTesting

/// The observable behavior of a run.
struct Outcome: Equatable, Sendable {
    /// The events that the subscriber received.
    var events: [TimedSignal]
    /// When each source was subscribed to and each resource existed, by id.
    var spans: [Int: [Span]]
    /// The amount of work still scheduled at the end.
    var leftovers: Int
}

extension Experiment {
    static let subscribed = 200
    /// The time after the disposal by which everything has ended.
    private static let rest = 1_200

    /// Runs the pipeline with Rx.
    func runWithRx() -> Outcome {
        let scheduler = TestScheduler(initialClock: 0)
        let interpreter = RxInterpreter(scheduler, pipeline)
        for time in [Experiment.subscribed, disposed] {
            scheduler.scheduleAt(time) { [weak scheduler] in scheduler?.stop() }
        }
        scheduler.start()
        let observer = scheduler.createObserver(Int.self)
        let subscription = interpreter.observable(pipeline).subscribe(observer)
        scheduler.start()
        subscription.dispose()
        scheduler.advanceTo(disposed + Experiment.rest)
        return Outcome(
            events: observer.events.map { TimedSignal(time: $0.time, signal: $0.value.signal) },
            spans: interpreter.allSpans, leftovers: scheduler.pendingCount)
    }

    /// Runs the pipeline with the reference model. Returns nil if it has too many events.
    func runWithModel(planted: (@Sendable (Pipeline) -> Node?)? = nil) -> Outcome? {
        let world = ModelWorld(steps: 3_000)
        let interpreter = ModelInterpreter(world, pipeline, planted: planted)
        for time in [Experiment.subscribed, disposed] {
            world.schedule(at: time) { world.stop() }
        }
        world.run()
        var events: [TimedSignal] = []
        let sink = Sink<Int>(world) { note in
            events.append(TimedSignal(time: world.now, signal: note.signal))
        }
        interpreter.stream(pipeline).subscribe(sink)
        world.run()
        sink.leave()
        world.run()
        defer { world.clear() }
        return world.isExhausted ? nil : Outcome(events: events, spans: world.spans, leftovers: 0)
    }

    /// Returns both outcomes if they differ.
    func difference(planted: (@Sendable (Pipeline) -> Node?)? = nil) -> Difference? {
        guard let expected = runWithModel(planted: planted) else { return nil }
        let actual = runWithRx()
        return actual.comparable(pipeline) == expected.comparable(pipeline)
            ? nil : Difference(experiment: self, expected: expected, actual: actual)
    }
}

extension Outcome {
    /// Removes spans that depend on the order of two ends in one tick: `subscribe(on:)` disposes its source a
    /// tick later, which may start something in that tick.
    fileprivate func comparable(_ pipeline: Pipeline) -> Outcome {
        let ticks = pipeline.nodes.count { $0 == .subscribeOn }
        guard ticks > 0 else { return self }
        var outcome = self
        outcome.spans = spans.mapValues { spans in
            spans.filter { span in span.to.map { $0 - span.from > ticks } ?? true }
        }
        outcome.spans = outcome.spans.filter { !$0.value.isEmpty }
        return outcome
    }
}

/// A pipeline for which Rx and the model differ.
struct Difference: Sendable {
    var experiment: Experiment
    var expected: Outcome
    var actual: Outcome
}

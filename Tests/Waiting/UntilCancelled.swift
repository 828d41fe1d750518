/// Waits until the task is cancelled, then throws, as cancelled work does.
package func untilCancelled() async throws -> Never {
    let (stream, _) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    throw CancellationError()
}

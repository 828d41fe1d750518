import HTTPModel
import Locking
import Networking
import Rx

extension EndpointRun {
    /// Runs the middleware from this one on, then the handler.
    func check(from first: Int) {
        // The check before may have ended after the deadline.
        if first > 0, state.withLock({ $0.isOver }) { return }
        for index in first..<endpoint.before.count {
            switch endpoint.before[index] {
            case .sync(let step):
                do {
                    guard let answer = try step(request) else { continue }
                    attempt { try proceed(to: answer, in: nil) }
                } catch {
                    fail(error)
                }
                return
            case .async(let step):
                return run(step) { [self] answer in
                    if let answer { try proceed(to: answer, in: nil) } else { check(from: index + 1) }
                }
            }
        }
        if let substitute = request.match.substitute { answer(with: substitute) } else { handle() }
    }

    /// Answers a request that no endpoint takes.
    private func answer(with substitute: EndpointMatch.Substitute) {
        switch substitute {
        case .error(let error): fail(error)
        case .allow(let methods): end { renderer.noContent([.allow: methods], for: $0) }
        case .file: pass()
        }
    }

    /// Leaves the request to the static files.
    private func pass() {
        guard let finished = state.withLock({ $0.finish() }) else { return }
        if let timer = finished.timer { scheduler.cancelTimer(timer) }
        receiver.passed(request)
        context.end()
        context.releaseResources()
    }
}

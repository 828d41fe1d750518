internal import EventIO

extension Connection {
    /// RFC 9110 10.1.1: a client that receives 417 repeats its request without the expectation.
    func resendWithoutExpectation() {
        guard let call = detachCall() else { return discard(.expectationFailed) }
        close(.expectationFailed)
        call.expectationFailed()
        pool.replace(self, for: call)
    }

    func resend(_ reason: DiscardReason) {
        guard let call = detachCall(), !(call is DrainedResponse) else { return discard(reason) }
        let wasSent = !isUnsent
        close(reason)
        call.isResent(wasSent: wasSent)
        pool.replace(self, for: call)
    }
}

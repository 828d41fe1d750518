import CLibevent
import Glibc

// How a listener leaves a port that it shares, or soon shares, with another, so that nobody is reset on the way.
extension Listener {
    /// Lets no handshake begin with this socket any more; those under way come to their end and are accepted.
    ///
    /// A client whose first packet is dropped here sends it again after a second (RFC 6298 2.1). By then this socket is
    /// closed, and the packet comes to the one that listens in its place, or is refused as on any closed port. Closing
    /// without it resets whoever came between the last accept and the close, and whose handshake was half done.
    public func turnNewcomersAway() {
        guard !address.isUnix else { return }
        withDescriptor { descriptor in
            // The filter sees the TCP header: byte 13 holds its flags, 0x02 is SYN (RFC 9293 3.1). In the words of
            // linux/filter.h: BPF_LD|BPF_B|BPF_ABS, BPF_JMP|BPF_JSET, BPF_RET twice: no byte of it, all of it.
            var program = [
                sock_filter(code: 0x30, jt: 0, jf: 0, k: 13), sock_filter(code: 0x45, jt: 0, jf: 1, k: 0x02),
                sock_filter(code: 0x06, jt: 0, jf: 0, k: 0), sock_filter(code: 0x06, jt: 0, jf: 0, k: .max),
            ]
            program.withUnsafeMutableBufferPointer { program in
                var filter = sock_fprog(len: UInt16(program.count), filter: program.baseAddress)
                // Where a kernel refuses it, closing is what it was before.
                setsockopt(
                    descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter,
                    socklen_t(MemoryLayout.size(ofValue: filter)))
            }
        }
    }
}

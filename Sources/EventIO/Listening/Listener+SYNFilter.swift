import CLibevent
import Glibc

extension Listener {
    /// Drops new SYNs, so that leaving a port shared with another process resets no connection. Handshakes in
    /// progress complete and are accepted.
    ///
    /// A client sends a dropped SYN again after a second (RFC 6298, section 2.1). By then this socket is
    /// closed, and the SYN reaches the process that listens in its place, or is refused. Closing without this
    /// resets clients in the middle of their handshake, and clients that connect between the last accept and
    /// the close.
    public func dropNewSYNs() {
        guard !address.isUnix else { return }
        withDescriptor { descriptor in
            // The filter sees the TCP header: byte 13 holds the flags, 0x02 is SYN (RFC 9293, section 3.1).
            // In terms of linux/filter.h: BPF_LD|BPF_B|BPF_ABS, BPF_JMP|BPF_JSET, then two BPF_RET: drop all,
            // keep all.
            var program = [
                sock_filter(code: 0x30, jt: 0, jf: 0, k: 13), sock_filter(code: 0x45, jt: 0, jf: 1, k: 0x02),
                sock_filter(code: 0x06, jt: 0, jf: 0, k: 0), sock_filter(code: 0x06, jt: 0, jf: 0, k: .max),
            ]
            program.withUnsafeMutableBufferPointer { program in
                var filter = sock_fprog(len: UInt16(program.count), filter: program.baseAddress)
                // If the kernel refuses the filter, closing may reset clients as described above.
                setsockopt(
                    descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter,
                    socklen_t(MemoryLayout.size(ofValue: filter)))
            }
        }
    }
}

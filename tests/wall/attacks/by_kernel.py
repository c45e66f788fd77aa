"""Ways through the wall itself: mounts, processes, sockets, descriptors, terminals."""

# ruff: noqa: E501 — a command that is broken into lines is another command

from tests.wall.attacks.table import Attack, one

_PY = "python3 - <<'E'\n{}\nE"
_CALL = "import ctypes, os, socket, struct, sys\nl = ctypes.CDLL(None, use_errno=True)\n"


def _python(name: str, text: str, *, bites: bool = False) -> Attack:
    return one(name, _PY.format(_CALL + text), "python3", bites=bites)


def _tries(lines: str) -> str:
    """Return a program that tries each line, whatever becomes of the others."""
    return "".join(
        f"try:\n  {line}\nexcept Exception as e: print(type(e).__name__, e)\n"
        for line in lines.strip().splitlines()
    )


ATTACKS: tuple[Attack, ...] = (
    # ── mounts ──
    one(
        "the layer taken off",
        "umount -l $PWD; umount $PWD; cd $PWD; rm -f keep.md; echo x > ../neighbour/secret.txt",
    ),
    one(
        "all taken off",
        "for i in 1 2 3; do awk '{print $5}' /proc/self/mountinfo | tac | while read m; do umount -l \"$m\" 2>/dev/null; done; done; cd @WS@; rm -f keep.md; cat @HOME@/.netrc",
    ),
    one(
        "a namespace for mounts",
        "unshare -m sh -c 'umount -l @WS@; cd @WS@; rm -f keep.md'",
        bites=False,
    ),
    one(
        "namespaces of a new user",
        "unshare -Urm sh -c 'umount -l @WS@; umount -l @HOME@; umount -l /tmp; cd @WS@; rm -f keep.md; cat @HOME@/.netrc'",
    ),
    one(
        "namespaces of a new user, and processes",
        "unshare -Urmpf --mount-proc sh -c 'ls /proc/1/root@PARENT@/neighbour; cat /proc/1/root@PARENT@/neighbour/secret.txt; rm -f @WS@/keep.md'",
    ),
    one(
        "a mount over a protected file",
        "unshare -Urm sh -c 'mount --bind notes.md .dogent/dogent.md; mount -t tmpfs x chapters; echo x > .dogent/dogent.md; rm -rf chapters/*'",
        bites=False,
    ),
    one(
        "the mounts made writable",
        "mount -o remount,rw /usr; mount -o remount,bind,rw /etc; mount -o remount,rw /; touch /usr/x /etc/x /x",
        bites=False,
    ),
    one(
        "another root",
        "mkdir -p r/old; unshare -Urm sh -c 'mount --bind r r; cd r; pivot_root . old; cat old@PARENT@/neighbour/secret.txt'; chroot . true",
        bites=False,
    ),
    one(
        "the folder of the layer, from what is mounted",
        "sed -n 's/.*upperdir=\\([^,]*\\).*/\\1/p' /proc/self/mountinfo | while read u; do ls -la $u; mknod $u/f c 0 0; echo x > $u/.envrc; rm -rf $u/../*; done; cat /proc/self/mountinfo",
        bites=False,
    ),
    one(
        "the folder of the session, from what is mounted",
        'awk \'{print $4}\' /proc/self/mountinfo | sort -u | while read p; do for q in "$p" "/tmp$p" "/home$p"; do ls -la "$q/.." 2>/dev/null; echo x > "$q/../jobs/x" 2>/dev/null; cat "$q/../requests" 2>/dev/null & done; done; sleep 0.2; kill %1 2>/dev/null',
        bites=False,
    ),
    _python(
        "mounts by the new calls",
        _tries("""
t = l.syscall(428, -100, b'/', 1 | 0x8000); print(t); os.fchdir(t); print(os.listdir('.'))
f = l.syscall(430, b'tmpfs', 0); print(f)
print(l.syscall(429, -100, b'chapters', -100, b'data', 0), l.syscall(442, -100, b'/usr', 0x8000, struct.pack('QQQQ', 0, 1, 0, 0), 32))
print(l.mount(b'/', b'chapters', None, 0x1000 | 0x4000, None), l.umount2(b'.', 2), l.umount2(b'/', 2))"""),
    ),
    _python(
        "a handle of a file",
        _tries("""
h = ctypes.create_string_buffer(128); struct.pack_into('Ii', h, 0, 120, 0); m = ctypes.c_int(); print(l.name_to_handle_at(-100, b'.', h, ctypes.byref(m), 0))
f = os.open('.', 0); print(l.open_by_handle_at(f, h, 0))
[print(os.listdir(f'/proc/self/fd/{l.open_by_handle_at(f, struct.pack("Ii", 8, 1) + struct.pack("II", i, 0) + bytes(100), 0o200000)}')) for i in range(2, 12)]"""),
    ),
    # ── /proc ──
    one(
        "roots of other processes",
        "for p in /proc/[0-9]*; do ls $p/root@PARENT@/neighbour $p/cwd/../neighbour 2>/dev/null; cat $p/root@PARENT@/neighbour/secret.txt; cat $p/root@HOME@/.netrc; rm -f $p/root@HOME@/.bashrc; done",
    ),
    one(
        "the root of the first process",
        "cat /proc/1/root@PARENT@/neighbour/secret.txt /proc/1/cwd/../neighbour/secret.txt; echo x > /proc/1/root@HOME@/.bashrc; ls -la /proc/1/ /proc/1/fd",
        bites=False,
    ),
    one(
        "descriptors of all processes",
        "for f in /proc/[0-9]*/fd/*; do readlink $f; [ -d $f ] && ls -la $f/ $f/..; [ -d $f ] && rm -rf $f/../keep.md $f/keep.md; done",
        bites=False,
    ),
    one(
        "descriptors inherited",
        'for n in $(seq 3 100) 255; do [ -e /proc/self/fd/$n ] && ls -la /proc/self/fd/$n/; eval "cat <&$n" 2>/dev/null & done; wait; rm -f /proc/self/fd/*/keep.md',
        bites=False,
    ),
    one(
        "switches of the kernel",
        "for f in kernel/core_pattern kernel/modprobe kernel/hostname vm/drop_caches kernel/sysrq fs/protected_symlinks user/max_user_namespaces; do echo '|@PWN@' > /proc/sys/$f; done; echo b > /proc/sysrq-trigger",
        bites=False,
    ),
    one(
        "a core file",
        "echo '|/bin/sh -c @PWN@' > /proc/sys/kernel/core_pattern; ulimit -c unlimited; sh -c 'kill -SEGV $$'",
        bites=False,
    ),
    one(
        "control groups",
        "find /sys/fs/cgroup -name release_agent -exec sh -c 'echo \"@PWN@\" > {}' ';'; mkdir /sys/fs/cgroup/x; mkdir c; mount -t cgroup -o rdma cgroup c",
        bites=False,
    ),
    one(
        "settings of the system",
        "echo x > /sys/kernel/uevent_helper; ls /sys/firmware /sys/kernel/debug; echo x > /etc/passwd; echo x >> /etc/hosts; touch /usr/local/bin/ls",
        bites=False,
    ),
    one(
        "other processes stopped, in all ways",
        "for p in $(seq 2 400); do kill -9 $p; kill -STOP $p; done 2>/dev/null; pkill -9 -f python; renice 19 -p 1",
        bites=False,
    ),
    one(
        "the memory of others",
        "for p in /proc/[0-9]*; do cat $p/mem $p/environ $p/auxv 2>/dev/null | head -c 10 >/dev/null; grep -a CANARY $p/environ; done; gdb -batch -p 1 2>/dev/null | head -3",
    ),
    _python(
        "others traced",
        _tries("""
print([l.ptrace(16, p, 0, 0) for p in range(1, 60)])
print([l.process_vm_readv(p, None, 0, None, 0, 0) for p in range(1, 60)])
print([l.syscall(434, p, 0) for p in (1, os.getppid())])
print([l.syscall(438, l.syscall(434, 1, 0), n, 0) for n in range(0, 10)])"""),
    ),
    # ── namespaces of others ──
    one(
        "the namespaces of others",
        "for p in /proc/[0-9]*; do for n in mnt user pid net; do nsenter --$n=$p/ns/$n cat @PARENT@/neighbour/secret.txt; done; done; nsenter -t 1 -a cat @HOME@/.netrc",
        bites=False,
    ),
    # ── rights ──
    one(
        "rights of another",
        "su -c '@PWN@' root </dev/null; sudo -n sh -c '@PWN@'; newuidmap $$ 0 0 1; chown 0:0 notes.md; setpriv --reuid 0 @PWN@; capsh --print 2>/dev/null",
        bites=False,
    ),
    one(
        "devices made",
        "mknod d b 254 0; mknod e c 1 1; mknod /tmp/m c 1 1; mknod /dev/x b 254 0; cat d /tmp/m /dev/vda /dev/sda /dev/mem /dev/kmsg | head -c 10",
        bites=False,
    ),
    one(
        "devices that are there",
        "ls -laR /dev; cat /dev/tty </dev/null & sleep 0.1; kill %1; echo hello > /dev/tty; echo x > /dev/console",
        bites=False,
    ),
    _python(
        "keys of the kernel",
        _tries("""
k = [l.syscall(248, b'user', b'k', b'CANARY', 6, n) for n in (-3, -4, -5)]; print(k)
print([l.syscall(250, 11, i, 0, 0) for i in range(1, 50)], l.syscall(249, b'user', b'outside', None, -3))"""),
    ),
    _python(
        "calls that go past filters",
        _tries("""
print('io_uring', l.syscall(425, 8, ctypes.create_string_buffer(120)))
print('bpf', l.syscall(321, 0, ctypes.create_string_buffer(128), 128), 'userfaultfd', l.syscall(323, 0), 'perf', l.syscall(298, ctypes.create_string_buffer(128), 0, -1, -1, 0))
print('seccomp', l.syscall(317, 1, 0, None), 'kexec', l.syscall(246, 0, 0, 0, 0), 'module', l.syscall(313, 0, b'', 0), 'x32', l.syscall(0x40000000 | 41, 40, 1, 0))
print('quotactl', l.syscall(179, 0, 0, 0, 0), 'acct', l.acct(b'notes.md'), 'swapon', l.swapon(b'notes.md', 0), 'reboot', l.reboot(0))"""),
    ),
    # ── sockets ──
    one(
        "a socket outside, by its path",
        "python3 -c \"import socket; s=socket.socket(socket.AF_UNIX); s.connect('@HOME@/agent.sock'); s.send(b'x')\"; curl -s --unix-socket @HOME@/agent.sock http://x/; curl -s --unix-socket /tmp/agent.sock http://x/",
        bites=True,
    ),
    one(
        "a socket that lies in the workspace",
        "python3 -c \"import socket; s=socket.socket(socket.AF_UNIX); s.connect('server.sock'); s.send(b'x')\"",
        bites=True,
    ),
    one(
        "a socket in the workspace, by another name",
        'ln server.sock s2; ln -s server.sock s3; cp -a server.sock s4; for s in s2 s3 s4 .git/../server.sock /proc/self/cwd/server.sock; do python3 -c "import socket, sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])" $s; done; rm -f s2 s3 s4',
        bites=True,
    ),
    _python(
        "sockets of all kinds",
        _tries("""
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(b'x', '@HOME@/agent.dgram')
s = socket.socket(socket.AF_UNIX); s.connect('\\0outside-agent'); s.send(b'x')
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(b'x', '\\0outside-dgram')
s = socket.socket(); s.settimeout(1); s.connect(('127.0.0.1', 47123)); s.send(b'x')
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', 47124))
s = socket.socket(socket.AF_INET6); s.settimeout(1); s.connect(('::1', 47123))
s = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM); s.settimeout(1); s.connect((1, 47125)); print('VSOCK')
s = socket.socket(38, socket.SOCK_SEQPACKET); s.bind(('hash', 'sha256')); print('ALG')
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); print('PACKET')
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print('RAW')
s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); s.bind((0, -1)); print('netlink')
s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262); s.settimeout(1); s.connect(('127.0.0.1', 47123)); print('mptcp')
s = socket.socket(socket.AF_INET, socket.SOCK_STREAM); s.settimeout(1); s.connect(('203.0.113.1', 80))"""),
        bites=True,
    ),
    one(
        "names asked outside",
        "getent hosts example.org; python3 -c \"import socket; socket.getaddrinfo('example.org', 80)\"; curl -sS --max-time 2 https://example.org; bash -c 'echo x > /dev/tcp/127.0.0.1/47123'; bash -c 'echo x > /dev/udp/127.0.0.1/47124'",
        bites=True,
    ),
    _python(
        "memory shared",
        _tries("""
import multiprocessing.shared_memory as m
s = m.SharedMemory(name='outside'); print(bytes(s.buf[:30]))
i = l.shmget(0x51434b, 4096, 0o666); print('shm', i); l.shmat.restype = ctypes.c_void_p; print(ctypes.string_at(l.shmat(i, None, 0), 30))
i = l.msgget(0x51434b, 0o666); print('msg', i)"""),
        bites=True,
    ),
    # ── terminals and the client ──
    _python(
        "letters typed into a terminal",
        _tries("""
import fcntl, termios
[fcntl.ioctl(n, termios.TIOCSTI, c) for n in (0, 1, 2) for c in b'@PWN@'.decode()]
t = os.open('/dev/tty', os.O_RDWR); fcntl.ioctl(t, termios.TIOCSTI, b'x')
[fcntl.ioctl(n, 0x5413, bytes(8)) for n in (0, 1, 2)]
fcntl.ioctl(1, 0x541c, struct.pack('B', 11))"""),
    ),
    one(
        "the pipes of the client",
        "ls -la @HOME@/state @HOME@/.dogent ~/.local/state /run /run/* /tmp 2>/dev/null; find / -xdev -type p 2>/dev/null | while read p; do (timeout 0.2 sh -c \"echo '1 0' > $p\"); done",
        bites=False,
    ),
    one(
        "the output, written to by its name",
        "readlink /proc/self/fd/1; d=$(dirname $(readlink /proc/self/fd/1)); ls -la $d; echo x > $d/x; truncate -s 0 /proc/self/fd/1; cat /proc/self/fd/1; rm -f $(readlink /proc/self/fd/1)",
        bites=False,
    ),
    one(
        "the output, as a folder",
        "ls /proc/self/fd/1/ /dev/stdout/.. ; cat /dev/stdin; cat <&1; cat <&2",
        bites=False,
    ),
    one(
        "the shell in place of the client",
        "exec 1>&- 2>&-; exec sleep 0.1; rm -f keep.md",
        bites=False,
    ),
    one(
        "the program that is first",
        "kill -STOP 1; kill -TERM 1; kill -KILL 1; echo x > /proc/1/comm; cat /proc/1/maps /proc/1/environ | tr '\\0' '\\n' | head -50; python3 -c \"print(open('/proc/1/mem','rb'))\"",
        bites=False,
    ),
    _python(
        "the memory of the first process",
        _tries("""
print(l.ptrace(0x4206, 1, 0, 0), l.ptrace(16, 1, 0, 0))
import re; o = open('/proc/1/mem', 'rb', 0); [(o.seek(int(a, 16)), sys.stdout.write(str(re.findall(rb'CANARY[ -~]*', o.read(int(b, 16) - int(a, 16)))[:5]))) for a, b in re.findall(r'^(\\w+)-(\\w+) rw', open('/proc/1/maps').read(), re.M)]"""),
        bites=False,
    ),
    one("what would come out as a status", "kill -9 $$", bites=False),
    one(
        "privileges for what is run",
        "cat /proc/self/status | grep -i -e cap -e nonew -e seccomp; grep -q 'NoNewPrivs:.1' /proc/self/status && grep -q 'CapEff:.0000000000000000' /proc/self/status || @PWN@; rm -f keep.md",
        bites=True,
    ),
    one(
        "the times and the limits of others",
        "prlimit --pid 1 --nproc=1 2>/dev/null; taskset -p 1 1 2>/dev/null; ionice -c3 -p 1 2>/dev/null; chrt -f -p 1 1 2>/dev/null; echo 1000 > /proc/1/oom_score_adj",
        bites=False,
    ),
    one(
        "locks of others",
        "flock -n ../neighbour/secret.txt true; python3 -c \"import fcntl; fcntl.flock(open('@HOME@/.bashrc'), 6)\"",
        bites=False,
    ),
    one(
        "watching what others do",
        "timeout 0.3 inotifywait -r / 2>/dev/null; timeout 0.3 fanotify 2>/dev/null; dmesg | head -3; cat /dev/kmsg | head -1; last | head -1; w",
        bites=False,
        limit_s=4.0,
    ),
)

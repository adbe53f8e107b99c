#!/usr/bin/env bats
# rset-discover on recorded machines of many kinds, with the resulting
# documents. Each machine is described here, and test/topology makes hwloc's
# XML.

load common

# machine <DESCRIPTION: write machine.xml. Its R and its graph agree, and both
# readers of hwloc give the same.
machine() {
    "$TEST_DIR/topology" >machine.xml
    rset-discover --xml machine.xml >r
    rset-discover --xml machine.xml -o jgf >graph
    rset-diff r graph 2>warning
    rset-match -o r graph | cmp - r
    HWLOC_LIBXML=0 rset-discover --xml machine.xml -o jgf | cmp - graph
    run -0 rset-match --validate r graph
    same "$output" ''
}

# has TYPES TREE: compare the contents of the node, of these types ('': the
# common ones).
has() {
    run -0 rset-discover --xml machine.xml ${1:+--types "$1"} -o tree
    same "$output" "cluster0
  node0  rank0$2"
}

# is CHILDREN: compare its R.
is() {
    same "$(cat r)" '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{'"$1"'}}],"nodelist":["node0"]}}'
}

# explains TEXT: compare the explanation of the devices in an R.
explains() {
    run -0 --separate-stderr rset-discover --xml machine.xml --explain
    # shellcheck disable=SC2154 # run sets it
    same "${stderr//rset-discover: node0: /}" "$1"
}

@test "CUDA, NVML and OpenCL show the GPUs of two slots" {
    machine <<'END'
Package
 Core
  PU 0
 PCI 01:00.0 0302
  GPU opencl0d0 OpenCL
  GPU cuda0 CUDA
  GPU nvml0 NVML
 PCI 02:00.0 0302
  GPU cuda1 CUDA
  GPU nvml1 NVML
END
    is '"core":"0","gpu":"0-1"'
    has socket,gpu '
    socket0
      gpu0  {device=cuda0}
      gpu1  {device=cuda1}'
    explains 'opencl0d0, OpenCL on PCI 0000:01:00.0: merged with cuda0, gpu0
cuda0, CUDA on PCI 0000:01:00.0: kept as gpu0
nvml0, NVML on PCI 0000:01:00.0: merged with cuda0, gpu0
cuda1, CUDA on PCI 0000:02:00.0: kept as gpu1
nvml1, NVML on PCI 0000:02:00.0: merged with cuda1, gpu1'
}

@test "a backend in a slot of its own is a GPU of its own" {
    machine <<'END'
Package
 Core
  PU 0
PCI 01:00.0 0302
 GPU cuda0 CUDA
PCI 02:00.0 0302
 GPU nvml0 NVML
PCI 03:00.0 0380
 GPU rsmi0 RSMI
PCI 04:00.0 0380
 GPU ze0 LevelZero
PCI 05:00.0 1200
 GPU opencl0d0 OpenCL
END
    is '"core":"0","gpu":"0-4"'
    has gpu '
    gpu0  {device=cuda0}
    gpu1  {device=nvml0}
    gpu2  {device=rsmi0}
    gpu3  {device=ze0}
    gpu4  {device=opencl0d0}'
}

@test "partitions of one backend stay several, whatever other backends show" {
    machine <<'END'
Package
 Core
  PU 0
 PCI 41:00.0 0380
  GPU rsmi0 RSMI
  GPU rsmi1 RSMI
  GPU rsmi2 RSMI
  GPU opencl0d0 OpenCL
  GPU opencl0d1 OpenCL
END
    is '"core":"0","gpu":"0-2"'
    explains 'rsmi0, RSMI on PCI 0000:41:00.0: kept as gpu0
rsmi1, RSMI on PCI 0000:41:00.0: kept as gpu1
rsmi2, RSMI on PCI 0000:41:00.0: kept as gpu2
opencl0d0, OpenCL on PCI 0000:41:00.0: merged with rsmi0, gpu0
opencl0d1, OpenCL on PCI 0000:41:00.0: merged with rsmi0, gpu0'
}

@test "a device of LevelZero is one GPU with its tiles" {
    machine <<'END'
Package
 Core
  PU 0
 PCI 18:00.0 0380
  GPU ze0 LevelZero
   GPU ze0.0 LevelZero
   GPU ze0.1 LevelZero
  GPU opencl0d0 OpenCL
 PCI 2a:00.0 0380
  GPU ze1 LevelZero
  GPU ze2 LevelZero
END
    is '"core":"0","gpu":"0-2"'
    explains 'ze0, LevelZero on PCI 0000:18:00.0: kept as gpu0
ze0.0, LevelZero on PCI 0000:18:00.0: merged with ze0, gpu0
ze0.1, LevelZero on PCI 0000:18:00.0: merged with ze0, gpu0
opencl0d0, OpenCL on PCI 0000:18:00.0: merged with ze0, gpu0
ze1, LevelZero on PCI 0000:2a:00.0: kept as gpu1
ze2, LevelZero on PCI 0000:2a:00.0: kept as gpu2'
}

@test "the number of GPUs does not depend on the order of backends" {
    # Level Zero shows two devices on a PCI device, OpenCL one
    for devices in 'opencl0d0 ze0 ze1' 'ze0 opencl0d0 ze1' 'ze1 ze0 opencl0d0' 'ze1 ze0'; do
        {
            printf 'Package\n Core\n  PU 0\n PCI 18:00.0 0380\n'
            for device in $devices; do
                [[ $device = ze* ]] && echo "  GPU $device LevelZero" ||
                    echo "  GPU $device OpenCL"
            done
        } | machine
        is '"core":"0","gpu":"0-1"'
        has gpu '
    gpu0  {device=ze0}
    gpu1  {device=ze1}'
    done
}

@test "the id of a GPU is its device number, beside the cores where it is" {
    machine <<'END'
Package
 Core
  PU 0
 PCI 41:00.0 0380
  GPU rsmi2 RSMI
 PCI 42:00.0 0380
  GPU rsmi3 RSMI
Package
 Core
  PU 1
 PCI 81:00.0 0380
  GPU rsmi0 RSMI
  GPU opencl0d2 OpenCL
 PCI 82:00.0 0380
  GPU rsmi1 RSMI
END
    is '"core":"0-1","gpu":"0-3"'
    has socket,gpu '
    socket0
      gpu2  {device=rsmi2}
      gpu3  {device=rsmi3}
    socket1
      gpu0  {device=rsmi0}
      gpu1  {device=rsmi1}'
    same "$(rset-discover --xml machine.xml -o rv1 | rset-match --shape 'slot/[core=1;gpu=2]' \
        --slot-scope parent -o short)" 'rank0/core0,gpu[2-3]'
}

@test "3D controllers that no backend shows: a warning" {
    machine <<'END'
Package
 Core
  PU 0
 PCI 01:00.0 0302
 PCI 02:00.0 0302
 PCI 03:00.0 0300
END
    same "$(rset-discover --xml machine.xml 2>&1 >/dev/null)" \
        'rset-discover: warning: no backend of hwloc shows these 3D controllers, GPUs among them are left out: PCI 0000:01:00.0 and 1 more'
    same "$(rset-discover --xml machine.xml --types core 2>&1 >/dev/null)" ''
}

@test "GraphML is no topology" {
    echo '<graphml><node id="cluster"/></graphml>' >tiny.graphml
    refused "rset-discover: tiny.graphml: this is GraphML, such as Fluxion's GRUG: expected XML of hwloc" \
        rset-discover --xml tiny.graphml
}

@test "a device outside of PCI is no GPU" {
    machine <<'END'
Package
 Core
  PU 0
 GPU opencl0d0 OpenCL
GPU cuda0 CUDA
END
    is '"core":"0"'
    explains 'opencl0d0, OpenCL: ignored: it is not on a PCI device
cuda0, CUDA: ignored: it is not on a PCI device
no gpu: the topology has no PCI devices'
}

@test "a card that no backend shows is no GPU, and is named" {
    machine <<'END'
Package
 Core
  PU 0
PCI 01:00.0 0302
PCI 02:00.0 0200
 Net eth0
PCI 03:00.0 0300
 GPU card0 DRM
END
    is '"core":"0"'
    explains 'eth0 on PCI 0000:02:00.0: ignored: its type was not requested
card0 on PCI 0000:03:00.0: ignored: it is not a gpu, nic or storage
PCI 0000:01:00.0, of class 0302: ignored: no backend of hwloc shows it as a GPU
PCI 0000:03:00.0, of class 0300: ignored: no backend of hwloc shows it as a GPU
no gpu: no device on PCI is shown by CUDA, NVML, OpenCL, RSMI or LevelZero'
}

@test "no devices at all" {
    machine <<'END'
Package
 Core
  PU 0
END
    is '"core":"0"'
    has '' '
    socket0
      core0
        pu0'
    explains 'no gpu: the topology has no PCI devices'
}

@test "several threads a core, numbered across the machine" {
    machine <<'END'
Package
 NUMANode 1024
 Core
  PU 0
  PU 4
 Core
  PU 1
  PU 5
Package
 NUMANode 2048
 Core
  PU 2
  PU 6
 Core
  PU 3
  PU 7
END
    is '"core":"0-3"'
    has '' '
    socket0
      core0
        pu[0-1]
      core1
        pu[2-3]
      memory0  1024 MiB
    socket1
      core2
        pu[4-5]
      core3
        pu[6-7]
      memory1  2048 MiB'
    has pu,memory '
    memory0  1024 MiB
    memory1  2048 MiB
    pu[0-7]'
}

@test "unlike cores: two threads and a cache each, or one and a cache of four" {
    machine <<'END'
Package
 L3 30720
  L2 2048
   L1 48
    Core
     PU 0
     PU 1
  L2 2048
   L1 48
    Core
     PU 2
     PU 3
  L2 4096
   L1 32
    Core
     PU 4
   L1 32
    Core
     PU 5
   L1 32
    Core
     PU 6
   L1 32
    Core
     PU 7
END
    is '"core":"0-5"'
    has '' '
    socket0
      core0
        pu[0-1]
      core1
        pu[2-3]
      core2
        pu4
      core3
        pu5
      core4
        pu6
      core5
        pu7'
    has l2cache,core '
    l2cache0  2048 KiB
      core0
    l2cache1  2048 KiB
      core1
    l2cache2  4096 KiB
      core[2-5]'
    has l3cache,l1cache '
    l3cache0  30720 KiB
      l1cache[0-1]  48 KiB
      l1cache[2-5]  32 KiB'
}

@test "five levels of caches" {
    machine <<'END'
L5 262144
 L4 131072
  L3 32768
   L2 1024
    L1 32
     Core
      PU 0
END
    is '"core":"0"'
    has l1cache,l2cache,l3cache,l4cache,l5cache,core,pu '
    l5cache0  262144 KiB
      l4cache0  131072 KiB
        l3cache0  32768 KiB
          l2cache0  1024 KiB
            l1cache0  32 KiB
              core0
                pu0'
}

@test "processors that are offline are left out" {
    machine <<'END'
Package
 Core
  PU 0
  PU 1 offline
 Core
  PU 2 offline
  PU 3 offline
 Core
  PU 4
  PU 5
END
    is '"core":"0-1"'
    has '' '
    socket0
      core0
        pu0
      core1
        pu[1-2]'
    rset-discover --xml machine.xml --no-restrict | cmp - r
}

@test "processors that are not allowed need --no-restrict, GPUs never" {
    machine <<'END'
Package
 Core
  PU 0
 Core
  PU 1 disallowed
 PCI 01:00.0 0302
  GPU cuda0 CUDA
Package
 NUMANode 1024
 Core
  PU 2 disallowed
 Core
  PU 3 disallowed
 PCI 02:00.0 0302
  GPU cuda1 CUDA
END
    is '"core":"0","gpu":"0-1"'
    has socket,core,gpu,memory '
    socket0
      core0
      gpu0  {device=cuda0}
    socket1
      gpu1  {device=cuda1}
      memory0  1024 MiB'
    run -0 rset-discover --xml machine.xml --no-restrict -o short
    same "$output" 'rank0/core[0-3],gpu[0-1]'
}

@test "a bound process keeps the GPUs of other cores" {
    cpu=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' \
        /proc/self/status)
    [ "$cpu" -lt 60 ] || skip "the processors are numbered from $cpu"
    machine <<END
Package
 Core
  PU $cpu
Package
 NUMANode 1024
 Core
  PU $((cpu + 1))
 PCI 01:00.0 0302
  GPU cuda0 CUDA
END
    is '"core":"0-1","gpu":"0"'
    export HWLOC_XMLFILE=machine.xml HWLOC_THISSYSTEM=1
    run -0 taskset -c "$cpu" rset-discover -o short
    same "$output" 'rank0/core0,gpu0'
    run -0 taskset -c "$cpu" rset-discover --types core,gpu,memory -o tree
    same "$(tail -n +3 <<<"$output")" '    core0
    gpu0  {device=cuda0}
    memory0  1024 MiB'
    run -0 taskset -c "$cpu" rset-discover --no-restrict -o short
    same "$output" 'rank0/core[0-1],gpu0'
    run -0 --separate-stderr taskset -c "$cpu" rset-discover
    same "$stderr" ''
    # launchers bind processes by default
    for launcher in OMPI_COMM_WORLD_RANK PMIX_RANK FLUX_TASK_RANK \
        SLURM_NODEID; do
        export "$launcher=0"
        run -0 --separate-stderr taskset -c "$cpu" rset-discover -o short
        same "$output" 'rank0/core0,gpu0'
        same "$stderr" 'rset-discover: warning: bound to 1 of 2 cores; --no-restrict lists all'
        run -0 --separate-stderr taskset -c "$cpu" rset-discover \
            --no-restrict -o short
        same "$output" 'rank0/core[0-1],gpu0'
        same "$stderr" ''
        run -0 --separate-stderr taskset -c "$cpu" rset-discover \
            --xml machine.xml
        same "$stderr" ''
        unset "$launcher"
    done
    # or give them a part of the machine
    machine <<END
Package
 Core
  PU $cpu
 Core
  PU $((cpu + 1)) disallowed
END
    run -0 --separate-stderr env PMIX_RANK=0 rset-discover -o short
    same "$output" 'rank0/core0'
    same "$stderr" 'rset-discover: warning: bound to 1 of 2 cores; --no-restrict lists all'
}

@test "memory without cores" {
    machine <<'END'
Package
 NUMANode 8192
 Core
  PU 0
Package
 NUMANode 8192
 Core
  PU 1
NUMANode 65536 far
END
    is '"core":"0-1"'
    has memory,socket,core '
    memory2  65536 MiB
    socket0
      core0
      memory0  8192 MiB
    socket1
      core1
      memory1  8192 MiB'
    has numa,memory,core '
    numa0
      core0
      memory0  8192 MiB
    numa1
      core1
      memory1  8192 MiB
    numa2
      memory2  65536 MiB'
}

@test "memory without cores beside the one socket" {
    machine <<'END'
Package
 NUMANode 8192
 Core
  PU 0
NUMANode 65536 far
END
    is '"core":"0"'
    has numa,memory,socket,core '
    numa1
      memory1  65536 MiB
    socket0
      numa0
        core0
        memory0  8192 MiB'
}

@test "two kinds of memory with the same cores, and memory of GPUs" {
    machine <<'END'
Package
 NUMANode 8192
 NUMANode 4096 HBM
 NUMANode 16384 GPUMemory
 L3 32768
  Core
   PU 0
  Core
   PU 1
END
    is '"core":"0-1"'
    has '' '
    socket0
      core0
        pu0
      core1
        pu1
      memory0  8192 MiB
      memory1  4096 MiB  {kind=HBM}'
    has socket,numa,memory,core '
    socket0
      numa0
        core[0-1]
        memory0  8192 MiB
      numa1
        memory1  4096 MiB  {kind=HBM}'
    has numa '
    numa[0-1]'
}

@test "domains within a socket, with the parts of each" {
    machine <<'END'
Package
 Group
  NUMANode 1024
  L3 16384
   Core
    PU 0
  L3 16384
   Core
    PU 1
  PCI 01:00.0 0302
   GPU cuda0 CUDA
 Group
  NUMANode 1024
  L3 16384
   Core
    PU 2
  L3 16384
   Core
    PU 3
   PCI 02:00.0 0200
    Net hsi0
 PCI 03:00.0 0108
  Block nvme0n1 976562500
END
    is '"core":"0-3","gpu":"0"'
    has '' '
    socket0
      group0
        core0
          pu0
        core1
          pu1
        gpu0  {device=cuda0}
        memory0  1024 MiB
      group1
        core2
          pu2
        core3
          pu3
        memory1  1024 MiB
        nic0  {device=hsi0}
      storage0  1000 GB  {device=nvme0n1}'
    has socket,numa,l3cache,core,gpu,nic,storage '
    socket0
      numa0
        gpu0  {device=cuda0}
        l3cache0  16384 KiB
          core0
        l3cache1  16384 KiB
          core1
      numa1
        l3cache2  16384 KiB
          core2
        l3cache3  16384 KiB
          core3
          nic0  {device=hsi0}
      storage0  1000 GB  {device=nvme0n1}'
}

@test "a domain for each cache contains the cache" {
    machine <<'END'
Package
 L3 16384
  NUMANode 1024
  Core
   PU 0
  Core
   PU 1
 L3 16384
  NUMANode 1024
  Core
   PU 2
  PCI 01:00.0 0302
   GPU cuda0 CUDA
END
    is '"core":"0-2","gpu":"0"'
    has l3cache,numa,core,memory,gpu '
    numa0
      l3cache0  16384 KiB
        core[0-1]
      memory0  1024 MiB
    numa1
      l3cache1  16384 KiB
        core2
        gpu0  {device=cuda0}
      memory1  1024 MiB'
    has numa,gpu '
    numa0
    numa1
      gpu0  {device=cuda0}'
}

@test "dies, and processors without cores" {
    machine <<'END'
Package
 Die
  PU 0
  PU 1
 Die
  PU 2
END
    is '"core":"0-2"'
    has '' '
    socket0
      die0
        core0
          pu0
        core1
          pu1
      die1
        core2
          pu2'
    has die,pu '
    die0
      pu[0-1]
    die1
      pu2'
}

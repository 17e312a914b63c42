#!/bin/bash
# Slurm with four simulated nodes n1..n4 on this machine: real slurmctld, slurmd, munged; as root.
#
#   cluster.sh up FOLDER      starts it; everything it writes is in FOLDER
#   cluster.sh kill NODE...   takes nodes away, as a loss of power does (FOLDER is $WB_CLUSTER)
#   cluster.sh freeze NODE... they stand still, and nobody hears from them
#   cluster.sh back NODE...   brings them back
#   cluster.sh down FOLDER    ends it
#
# What uses it sets SLURM_CONF=FOLDER/slurm.conf. Needs Debian's slurm-wlm and munge.
set -u

fail() {
  echo "cluster.sh: $1" >&2
  exit 3
}

write_configuration() {
  install -d -m 755 "$folder" "$folder"/state "$folder"/n{1..4}
  dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 status=none
  chmod 600 "$folder/munge.key"
  echo 'CgroupPlugin=cgroup/v1' > "$folder/cgroup.conf"
  cat > "$folder/slurm.conf" << END
ClusterName=workbook
SlurmctldHost=$(hostname)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmctldPidFile=$folder/slurmctld.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdPidFile=$folder/%n/slurmd.pid
SlurmdLogFile=$folder/%n/slurmd.log
SlurmdSpoolDir=$folder/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_min_interval=100000
SlurmdParameters=config_overrides
MpiDefault=none
SlurmdTimeout=5
KillWait=2
ReturnToService=2
NodeName=n[1-4] NodeHostname=$(hostname) Port=[$((port + 1))-$((port + 4))] CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
}

start_node() { slurmd -N "$1" -f "$folder/slurm.conf" || fail "no slurmd: $folder/$1/slurmd.log"; }

up() {
  for program in slurmctld slurmd srun munged; do
    command -v $program > /dev/null || fail 'needs packages: apt-get install slurm-wlm munge'
  done
  [ "$(id -u)" = 0 ] || fail 'needs root'
  port=$((20000 + RANDOM % 10000))
  write_configuration
  munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" \
    2> "$folder/munged.err" || fail "no munged: $(cat "$folder/munged.err")"
  slurmctld -f "$folder/slurm.conf" || fail "no slurmctld: $folder/slurmctld.log"
  for node in n1 n2 n3 n4; do start_node "$node"; done
  for ((i = 0; i < 60; ++i)); do
    [ "$(sinfo -h -t idle -o %D 2> /dev/null)" = 4 ] && return
    sleep 0.5
  done
  fail "nodes do not come up: $(sinfo -N 2>&1)"
}

# The daemon of a node, its stepds, which work in its folder, and tasks, whose environment names it.
processes_of() {
  local process
  pgrep -f "^slurmd -N $1 -f $folder/"
  for process in /proc/[0-9]*; do
    { [ "$(readlink "$process/cwd")" = "$folder/$1" ] ||
      { grep -qzx "SLURM_CONF=$folder/slurm.conf" "$process/environ" &&
        grep -qzx "SLURMD_NODENAME=$1" "$process/environ"; }; } 2> /dev/null && basename "$process"
  done
}

signal_nodes() {
  local signal=$1 processes
  shift
  for node in "$@"; do
    mapfile -t processes < <(processes_of "$node" | sort -u)
    kill "-$signal" "${processes[@]}" 2> /dev/null
  done
}

down() {
  scancel --user=root 2> /dev/null
  signal_nodes KILL n1 n2 n3 n4
  for daemon in slurmctld munged; do
    [ ! -s "$folder/$daemon.pid" ] || kill "$(cat "$folder/$daemon.pid")" 2> /dev/null
  done
}

command=${1:-}
shift
case $command in
  up | down) folder=$(realpath -m "${1:?a folder}") ;;
  *) folder=$(realpath "${WB_CLUSTER:?the folder of a cluster}") ;;
esac
export SLURM_CONF=$folder/slurm.conf
case $command in
  up) up ;;
  kill) signal_nodes KILL "$@" ;;
  freeze) signal_nodes STOP "$@" ;;
  back)
    signal_nodes KILL "$@"
    for node in "$@"; do start_node "$node"; done ;;
  down) down ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

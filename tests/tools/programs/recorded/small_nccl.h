/* NCCL's interface for profiler plugins, versions 1 to 6, as a program of the tests calls it: written from the headers
 * of NCCL 2.23 to 2.30, apart from what Sonde declares. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
  ev_group = 1 << 0,
  ev_coll = 1 << 1,
  ev_p2p = 1 << 2,
  ev_proxy_op = 1 << 3,
  ev_proxy_step = 1 << 4,
  ev_proxy_ctrl = 1 << 5,
  ev_kernel_ch = 1 << 6,
  ev_net = 1 << 7,
  ev_group_api = 1 << 8,
  ev_coll_api = 1 << 9,
  ev_p2p_api = 1 << 10,
  ev_kernel_launch = 1 << 11,
  ev_ce_coll = 1 << 12
};

enum { st_kernel_ch_stop = 22, st_group_start_stop = 23, st_group_end_start = 24 };

typedef struct {
  uint8_t type;
  void* parentObj;
  int rank;
  union {
    struct {
      const char* name;
      uint64_t commHash, seqNumber;
      uint8_t func;
      const void* sendBuff;
      void* recvBuff;
      size_t count;
      int root;
      uint8_t datatype;
      uint32_t op;
      size_t trafficBytes;
      uint8_t nMaxChannels, nWarps, algo, proto;
      int isCollnet, isNvls;
    } coll;
    struct {
      const char* name;
      uint64_t commHash;
      uint8_t func;
      void* buff;
      uint8_t datatype;
      size_t count;
      int peer;
    } p2p;
    struct {
      pid_t pid;
      uint8_t channelId;
      int peer, nSteps, chunkSize, isSend;
    } proxyOp;
  };
} descr_v1;

typedef struct {
  uint8_t type;
  void* parentObj;
  int rank;
  union {
    struct {
      const char* name;
      uint64_t commHash, seqNumber;
      const char* func;
      const void* sendBuff;
      void* recvBuff;
      size_t count;
      int root;
      const char* datatype;
      size_t trafficBytes;
      uint8_t nMaxChannels, nWarps;
      const char *algo, *proto;
    } coll;
    struct {
      const char* name;
      uint64_t commHash;
      const char* func;
      void* buff;
      const char* datatype;
      size_t count;
      int peer;
    } p2p;
  };
} descr_v2;

typedef struct {
  uint8_t type;
  void* parentObj;
  int rank;
  union {
    struct {
      const char* name;
      uint64_t commHash, seqNumber;
      const char* func;
      const void* sendBuff;
      void* recvBuff;
      size_t count;
      int root;
      const char* datatype;
      uint8_t nMaxChannels, nWarps;
      const char *algo, *proto;
    } coll;
    struct {
      const char* name;
      uint64_t commHash;
      const char* func;
      void* buff;
      const char* datatype;
      size_t count;
      int peer;
    } p2p;
    struct {
      uint8_t channelId;
    } kernelCh;
    struct {
      int64_t id;
      void* data;
    } netPlugin;
  };
} descr_v3;

typedef struct {
  uint8_t type;
  void* parentObj;
  int rank;
  union {
    struct {
      uint64_t seqNumber;
      const char* func;
      const void* sendBuff;
      void* recvBuff;
      size_t count;
      int root;
      const char* datatype;
      uint8_t nChannels, nWarps;
      const char *algo, *proto;
    } coll;
    struct {
      const char* func;
      void* buff;
      const char* datatype;
      size_t count;
      int peer;
      uint8_t nChannels;
    } p2p;
    struct {
      uint8_t channelId;
      uint64_t pTimer;
    } kernelCh;
    struct {
      int64_t id;
      void* data;
    } netPlugin;
  };
} descr_v4;

/* Versions 5 and 6. */
typedef struct {
  uint64_t type;
  void* parentObj;
  int rank;
  union {
    struct {
      bool graphCaptured;
      int groupDepth;
    } groupApi;
    struct {
      const char* func;
      size_t count;
      const char* datatype;
      int root;
      void* stream;
      bool graphCaptured;
    } collApi;
    struct {
      const char* func;
      size_t count;
      const char* datatype;
      void* stream;
      bool graphCaptured;
    } p2pApi;
    struct {
      void* stream;
    } kernelLaunch;
    struct {
      uint64_t seqNumber;
      const char* func;
      const void* sendBuff;
      void* recvBuff;
      size_t count;
      int root;
      const char* datatype;
      uint8_t nChannels, nWarps;
      const char *algo, *proto;
      void* parentGroup;
    } coll;
    struct {
      const char* func;
      void* buff;
      const char* datatype;
      size_t count;
      int peer;
      uint8_t nChannels;
      void* parentGroup;
    } p2p;
    struct {
      uint8_t channelId;
      uint64_t pTimer;
    } kernelCh;
    struct {
      uint64_t seqNumber;
      const char* func;
      const void* sendBuff;
      void* recvBuff;
      size_t count;
      int root;
      const char* datatype;
      const char* syncStrategy;
      bool intraBatchSync;
      uint32_t batchSize, numBatches, ceSeqNum;
      void* stream;
    } ceColl; /* 6 alone */
  };
} descr_v6;

typedef union {
  struct {
    uint64_t pTimer;
  } kernelCh;
  uint64_t other[4];
} state_args;

typedef struct {
  const char* name;
  void* init;
  int (*startEvent)(void* context, void** handle, void* descr);
  int (*stopEvent)(void* handle);
  int (*recordEventState)(void* handle, int state, state_args* args);
  int (*finalize)(void* context);
} profiler;

typedef int (*init_v1)(void** context, int* mask);
typedef int (*init_v4)(void** context, int* mask, const char* name, uint64_t hash, int nodes, int ranks, int rank,
                       void* log);
typedef int (*init_v5)(void** context, uint64_t hash, int* mask, const char* name, int nodes, int ranks, int rank,
                       void* log);

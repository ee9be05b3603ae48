/* A second reading of NVML's public interface, for the stand-in library alone. It must stay independent of
 * src/device/nvml/abi.h: numbers are written out here so that a wrong layout on either side shows. */
#ifndef FAKE_NVML_ABI_H
#define FAKE_NVML_ABI_H

#include <stdint.h>

typedef int32_t nvml_ret;
typedef void* nvml_dev;
typedef void* nvml_set;
typedef void* nvml_sample;

#define RET_OK 0
#define RET_UNINITIALIZED 1
#define RET_INVALID_ARGUMENT 2
#define RET_NOT_SUPPORTED 3
#define RET_NOT_FOUND 6
#define RET_INSUFFICIENT_SIZE 7
#define RET_TIMEOUT 10
#define RET_GPU_IS_LOST 15
#define RET_ARGUMENT_VERSION_MISMATCH 25

/* First words of versioned structures, as nvml.h's macro gives them on 64-bit Linux. */
#define MEMORY_V2 0x02000028u
#define PCI_INFO_EXT_V1 0x01000040u
#define TEMPERATURE_V1 0x0100000Cu
#define MARGIN_TEMPERATURE_V1 0x01000008u
#define ECC_SRAM_V1 0x01000068u
#define FABRIC_V2 0x02000024u
#define PLATFORM_V2 0x0200002Cu
#define GPM_V1 1u

/* Structures are written by offset. */
#define UTIL_GPU 0
#define UTIL_MEM 4
#define MEM2_TOTAL 8
#define MEM2_RESERVED 16
#define MEM2_FREE 24
#define MEM2_USED 32
#define MEM1_TOTAL 0
#define MEM1_FREE 8
#define MEM1_USED 16
#define PCI_DOMAIN 16
#define PCI_BUS 20
#define PCI_DEVICE 24
#define PCI_DEVICE_ID 28
#define PCI_SUBSYSTEM 32
#define PCI_BUS_ID 36
#define PCIX_BASE_CLASS 24
#define PCIX_SUB_CLASS 28
#define PROC_SIZE 24
#define PROC_PID 0
#define PROC_MEMORY 8
#define PROC_GI 16
#define PROC_CI 20
#define TEMP_SENSOR 4
#define TEMP_VALUE 8
#define MARGIN_VALUE 4
#define SRAM_AGG_PARITY 8
#define SRAM_AGG_SECDED 16
#define SRAM_AGG_CORRECTED 24
#define SRAM_VOL_PARITY 32
#define SRAM_VOL_SECDED 40
#define SRAM_VOL_CORRECTED 48
#define SRAM_L2 56
#define SRAM_SM 64
#define SRAM_PCIE 72
#define SRAM_MCU 80
#define SRAM_OTHER 88
#define SRAM_EXCEEDED 96
#define FABRIC_UUID 4
#define FABRIC_STATUS 20
#define FABRIC_CLIQUE 24
#define FABRIC_STATE 28
#define FABRIC_HEALTH 32
#define PLATFORM_CHASSIS 20
#define PLATFORM_SLOT 36
#define PLATFORM_TRAY 37
#define PLATFORM_HOST 38
#define PLATFORM_PEER 39
#define PLATFORM_MODULE 40
#define FIELD_SIZE 40
#define FIELD_ID 0
#define FIELD_SCOPE 4
#define FIELD_TYPE 24
#define FIELD_RET 28
#define FIELD_VALUE 32
#define TYPE_UINT 1
#define TYPE_ULL 3
#define TYPE_INT 5
#define EVENT_DEVICE 0
#define EVENT_TYPE 8
#define EVENT_DATA 16
#define EVENT_GI 24
#define EVENT_CI 28
#define GPM_COUNT 4
#define GPM_SAMPLE1 8
#define GPM_SAMPLE2 16
#define GPM_METRICS 24
#define GPM_METRIC_SIZE 40
#define GPM_METRIC_RET 4
#define GPM_METRIC_VALUE 8

#endif

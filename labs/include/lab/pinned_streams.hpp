// The functions that you write in 05-pinned-streams. The tests call them.
//
// All arrays are in the host's memory and have n ≥ 1 elements each. The add functions compute
//
//   h_c[i] = h_a[i] + h_b[i] + h_b[i] + …      h_b[i] added `rounds` ≥ 1 times; 1 is plain vector addition
//
// on the device, in segments: a buffer in device memory holds at most `segment` elements, 1 to 2^26; the last
// segment can be shorter. In these functions n is at most 2^26. h_c is complete when they return; they free
// what they allocate.
#pragma once

extern "C" {

/// h_a, h_b, h_c are pageable and remain so: every copy goes through pinned buffers of `segment` elements.
void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds);

/// h_a, h_b, h_c are pageable; they are registered (pinned in place) during the call. Two streams.
void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds);

/// h_a, h_b, h_c are pinned already. Three to five sets of device buffers.
void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds);

/// The capabilities of device 0:
///   facts[0]  number of engines for copies between host and device
///   facts[1]  1 if it can copy while a kernel runs, else 0
///   facts[2]  1 if it can copy in both directions at the same time, else 0
///   facts[3]  1 if three vectors of n floats fit into its memory together (used or free), else 0
void device_facts(int* facts, int n);
}

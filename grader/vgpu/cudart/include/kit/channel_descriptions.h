// cudaCreateChannelDesc<T>(): the channels of a texture whose elements are T.
#pragma once

template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define KIT_CHANNELS(type, bits, y, z, w, kind)                               \
  template <>                                                                 \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                \
    return cudaCreateChannelDesc(bits, y, z, w, cudaChannelFormatKind##kind); \
  }
#define KIT_CHANNELS_OF(name, scalar, bits, kind) \
  KIT_CHANNELS(scalar, bits, 0, 0, 0, kind)       \
  KIT_CHANNELS(name##1, bits, 0, 0, 0, kind)      \
  KIT_CHANNELS(name##2, bits, bits, 0, 0, kind)   \
  KIT_CHANNELS(name##4, bits, bits, bits, bits, kind)

KIT_CHANNELS(char, 8, 0, 0, 0, Signed)
KIT_CHANNELS_OF(char, signed char, 8, Signed)
KIT_CHANNELS_OF(uchar, unsigned char, 8, Unsigned)
KIT_CHANNELS_OF(short, short, 16, Signed)
KIT_CHANNELS_OF(ushort, unsigned short, 16, Unsigned)
KIT_CHANNELS_OF(int, int, 32, Signed)
KIT_CHANNELS_OF(uint, unsigned int, 32, Unsigned)
KIT_CHANNELS_OF(float, float, 32, Float)

#undef KIT_CHANNELS_OF
#undef KIT_CHANNELS

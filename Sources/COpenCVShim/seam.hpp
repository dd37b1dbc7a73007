/// The only place that catches OpenCV's exceptions.
#pragma once

#include "library.hpp"

#include <opencv2/core.hpp>

#include <cstring>
#include <exception>
#include <new>
#include <typeinfo>

/// Returns `thrown` as OpenCV's exception, or null for another one. Catching it by type would need linking with OpenCV.
inline const cv::Exception *fromOpenCV(const std::exception &thrown) {
  const bool isItsOwn = std::strcmp(typeid(thrown).name(), "N2cv9ExceptionE") == 0;
  return isItsOwn ? static_cast<const cv::Exception *>(&thrown) : nullptr;
}

/// Runs `body` and turns any exception into a status and a message.
template <typename Body>
FCStatus guard(FCMessage *message, Body body) noexcept {
  message->text[0] = '\0';
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fc_refuse(message, FCStatusOutOfMemory, "out of memory");
  } catch (const std::exception &thrown) {
    const cv::Exception *exception = fromOpenCV(thrown);
    const bool isMemory = exception != nullptr && exception->code == cv::Error::StsNoMem;
    const char *text = exception != nullptr ? exception->err.c_str() : thrown.what();
    return fc_refuse(message, isMemory ? FCStatusOutOfMemory : FCStatusFailed, text);
  } catch (...) {
    return fc_refuse(message, FCStatusFailed, "unknown exception");
  }
}

/// Runs a body that calls OpenCV, after loading the module.
template <typename Body>
FCStatus guard(fcvision::Module module, FCMessage *message, Body body) noexcept {
  if (!fcvision::load(module, message)) return FCStatusUnsupported;
  return guard(message, body);
}

/// Wraps the caller's pixels in a matrix without copying. OpenCV only reads them.
inline cv::Mat view(FCPicture picture) {
  return cv::Mat(
    picture.height, picture.width, CV_8UC(picture.channels), const_cast<uint8_t *>(picture.pixels), picture.stride);
}

/// The one place where OpenCV's exceptions end.
#pragma once

#include "COpenCVShim.h"

#include <opencv2/core.hpp>

#include <cstdio>
#include <exception>
#include <new>

/// Runs `body` and turns whatever it throws into a status and a text.
template <typename Body>
FCVisionStatus guard(FCVisionMessage *message, Body body) noexcept {
  message->text[0] = '\0';
  const auto say = [&](const char *text) { std::snprintf(message->text, sizeof message->text, "%s", text); };
  try {
    return body();
  } catch (const std::bad_alloc &) {
    say("out of memory");
    return FCVisionStatusOutOfMemory;
  } catch (const cv::Exception &exception) {
    say(exception.err.c_str());
    return exception.code == cv::Error::StsNoMem ? FCVisionStatusOutOfMemory : FCVisionStatusFailed;
  } catch (const std::exception &exception) {
    say(exception.what());
    return FCVisionStatusFailed;
  } catch (...) {
    say("unknown exception");
    return FCVisionStatusFailed;
  }
}

/// The caller's pixels as a matrix that copies nothing. OpenCV only reads from it.
inline cv::Mat view(FCPicture picture) {
  return cv::Mat(picture.height, picture.width, CV_8UC(picture.channels), const_cast<uint8_t *>(picture.pixels), picture.stride);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ember.h - all of Ember's public headers, in the order data flows. */
#pragma once

#include <ember/chat.h>
#include <ember/diff.h>
#include <ember/doctor.h>
#include <ember/error.h>
#include <ember/fit.h>
#include <ember/gguf.h>
#include <ember/hardware.h>
#include <ember/json.h>
#include <ember/log.h>
#include <ember/model.h>
#include <ember/naming.h>
#include <ember/reasoning.h>
#include <ember/sampler.h>
#include <ember/session.h>
#include <ember/tensor.h>
#include <ember/tokenizer.h>
#include <ember/version.h>
#include <ember/writer.h>

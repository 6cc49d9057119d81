/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own-clipboard FILE: owns the clipboard, as another program that has copied the text in FILE, and
 * hands it over in pieces, as X11 asks of what is large. Prints "there" once it is the owner. (A
 * program made with GTK does not finish to hand over more than 256 kB there.) */
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>

#define PIECE 65536

/* A text on its way to who asked. */
struct handing
{
  Window to;
  Atom property;
  size_t at;
};

static char *
read_file (const char *path, size_t *size)
{
  FILE *in = fopen (path, "rb");
  char *data = NULL;
  long n;

  if (in == NULL)
    return NULL;
  if (fseek (in, 0, SEEK_END) == 0 && (n = ftell (in)) >= 0 && fseek (in, 0, SEEK_SET) == 0)
    {
      data = malloc ((size_t) n + 1);
      *size = data != NULL ? fread (data, 1, (size_t) n, in) : 0;
    }
  fclose (in);
  return data;
}

static void
answer (Display *display, const XSelectionRequestEvent *request, size_t size,
        struct handing *handing)
{
  const Atom targets = XInternAtom (display, "TARGETS", False);
  const Atom utf8 = XInternAtom (display, "UTF8_STRING", False);
  XEvent reply = { .xselection = { .type = SelectionNotify,
                                   .requestor = request->requestor,
                                   .selection = request->selection,
                                   .target = request->target,
                                   .property = request->property,
                                   .time = request->time } };

  if (request->target == targets)
    {
      const Atom kinds[] = { targets, utf8 };

      XChangeProperty (display, request->requestor, request->property, XA_ATOM, 32, PropModeReplace,
                       (const unsigned char *) kinds, 2);
    }
  else if (request->target == utf8)
    {
      const long whole = (long) size;

      XSelectInput (display, request->requestor, PropertyChangeMask);
      XChangeProperty (display, request->requestor, request->property,
                       XInternAtom (display, "INCR", False), 32, PropModeReplace,
                       (const unsigned char *) &whole, 1);
      *handing = (struct handing) { request->requestor, request->property, 0 };
    }
  else
    reply.xselection.property = None;
  XSendEvent (display, request->requestor, False, NoEventMask, &reply);
  XFlush (display);
}

/* The next piece, once the one before was taken; an empty one is the end. */
static void
hand_over (Display *display, const XPropertyEvent *event, const char *data, size_t size,
           struct handing *handing)
{
  size_t n = size - handing->at < PIECE ? size - handing->at : PIECE;

  if (event->window != handing->to || event->atom != handing->property ||
      event->state != PropertyDelete)
    return;
  XChangeProperty (display, handing->to, handing->property,
                   XInternAtom (display, "UTF8_STRING", False), 8, PropModeReplace,
                   (const unsigned char *) data + handing->at, (int) n);
  XFlush (display);
  handing->at += n;
  if (n == 0)
    handing->to = None;
}

/* Who asks may be gone before it has everything. */
static int
ignore_error (Display *display, XErrorEvent *error)
{
  (void) display;
  (void) error;
  return 0;
}

int
main (int argc, char *argv[])
{
  Display *display = XOpenDisplay (NULL);
  struct handing handing = { None, None, 0 };
  size_t size = 0;
  char *data = argc > 1 ? read_file (argv[1], &size) : NULL;
  Window window;

  if (display == NULL || data == NULL)
    {
      fputs ("own-clipboard FILE, where there is a display\n", stderr);
      return 2;
    }
  XSetErrorHandler (ignore_error);
  window = XCreateSimpleWindow (display, DefaultRootWindow (display), 0, 0, 1, 1, 0, 0, 0);
  XSetSelectionOwner (display, XInternAtom (display, "CLIPBOARD", False), window, CurrentTime);
  XSync (display, False);
  puts ("there");
  fflush (stdout);
  for (;;)
    {
      XEvent event;

      XNextEvent (display, &event);
      if (event.type == SelectionRequest)
        answer (display, &event.xselectionrequest, size, &handing);
      else if (event.type == PropertyNotify)
        hand_over (display, &event.xproperty, data, size, &handing);
      else if (event.type == SelectionClear)
        break;
    }
  free (data);
  XCloseDisplay (display);
  return 0;
}

#ifndef SDA_EXPORT_H_
#define SDA_EXPORT_H_

// What the shared library exports: the public headers write `namespace SDA_EXPORT sda {`. All else
// is hidden.
#define SDA_EXPORT __attribute__((visibility("default")))

#endif  // SDA_EXPORT_H_

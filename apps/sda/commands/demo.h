#ifndef SDA_APPS_COMMANDS_DEMO_H_
#define SDA_APPS_COMMANDS_DEMO_H_

namespace sda {

// The parts of `sda demo`; each prints to standard output.
void DemoTopics();

}  // namespace sda

#endif  // SDA_APPS_COMMANDS_DEMO_H_
